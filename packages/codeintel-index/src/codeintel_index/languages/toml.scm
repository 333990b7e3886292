; TOML. Tables and their keys.
(table . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.key
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.key
(document (pair . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.key)
(table (pair . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.key)
(table_array_element (pair . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.key)
(comment) @comment
