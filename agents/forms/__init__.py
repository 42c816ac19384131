"""Forms of pages and of the administration: untrusted text becomes values here, or an error under its field."""
