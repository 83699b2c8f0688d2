"""The rows and sentences that explain one decision: gates, messages, requests, notes, rules."""
