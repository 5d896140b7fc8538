"""What the real tools print: one file a tool, each rendering its records to text and parsing them back."""
