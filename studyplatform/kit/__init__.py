"""The kit: mechanism that knows no app. Every app may import it; it imports none."""
