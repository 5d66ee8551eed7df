"""The intermediate representation: types, nodes, a printer and a verifier."""
