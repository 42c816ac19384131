"""The pages of the library: components, prompts, firmware, tools and workflows with their versions. Thin views."""
