"""How clients connect: stdio and Streamable HTTP."""
