; SQL. What a schema consists of.
(create_table (object_reference name: (identifier) @name)) @definition.table
(create_view (object_reference name: (identifier) @name)) @definition.view
(create_materialized_view (object_reference name: (identifier) @name)) @definition.view
(create_function (object_reference name: (identifier) @name) . (function_arguments)) @definition.function
(create_procedure (object_reference name: (identifier) @name) . (function_arguments)) @definition.function
(create_trigger (keyword_trigger) . (object_reference name: (identifier) @name)) @definition.trigger
(create_index column: (identifier) @name) @definition.index
(create_type (object_reference name: (identifier) @name)) @definition.type
(create_sequence (object_reference name: (identifier) @name)) @definition.sequence

(object_reference name: (identifier) @use)
(field name: (identifier) @use)
[(comment) (marginalia)] @comment
