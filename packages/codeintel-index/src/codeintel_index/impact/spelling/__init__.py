"""How each language writes which module it takes in: one function a family, all listed in `impact/modules.py`."""
