"""The pages of workspaces: files, uploads and history. Thin views."""
