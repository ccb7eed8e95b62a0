"""The soak: thousands of made-up schedules, each judged; failures are shrunk and saved."""
