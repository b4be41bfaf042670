"""What assistants outside this site may do for a user: /mcp, by the Model Context Protocol.

Each tool is a function in one of the modules; ``service`` lists them. They call the same queries and services as pages
do, on behalf of the user whose token was sent, so the same policies decide.
"""
