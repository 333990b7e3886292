; SQL. What a schema consists of. Dialects are many and one grammar serves them all, so heads are also found in errors.
(create_table (object_reference name: (identifier) @name)) @definition.table
(create_view (keyword_view) (object_reference name: (identifier) @name)) @definition.view
(create_materialized_view (object_reference name: (identifier) @name)) @definition.view
(create_function (object_reference name: (identifier) @name) . (function_arguments)) @definition.function
(create_procedure (object_reference name: (identifier) @name) . (function_arguments)) @definition.function
(create_trigger (keyword_trigger) . (object_reference name: (identifier) @name)) @definition.trigger
(create_index column: [(identifier) (literal)] @name) @definition.index
(create_type (object_reference name: (identifier) @name)) @definition.type
(create_sequence (object_reference name: (identifier) @name)) @definition.sequence

(ERROR (keyword_create) . (keyword_table) . (object_reference name: (identifier) @name) @definition.table)
(ERROR (keyword_create) . (keyword_table) . (keyword_if) . (keyword_not) . (keyword_exists)
  . (object_reference name: (identifier) @name) @definition.table)
(ERROR (keyword_create) . (keyword_view) . (object_reference name: (identifier) @name) @definition.view)
(ERROR (keyword_replace) . (keyword_view) . (object_reference name: (identifier) @name) @definition.view)
(ERROR (keyword_materialized) . (keyword_view) . (object_reference name: (identifier) @name) @definition.view)
(ERROR (keyword_create) . (keyword_function) . (object_reference name: (identifier) @name) @definition.function)
(ERROR (keyword_replace) . (keyword_function) . (object_reference name: (identifier) @name) @definition.function)
(ERROR (keyword_create) . (keyword_procedure) . (object_reference name: (identifier) @name) @definition.function)
(ERROR (keyword_create) . (keyword_trigger) . (object_reference name: (identifier) @name) @definition.trigger)
(ERROR (keyword_create) . (keyword_type) . (object_reference name: (identifier) @name) @definition.type)
(ERROR (keyword_index) . (identifier) @name @definition.index . (keyword_on))

(object_reference name: (identifier) @use)
(field name: (identifier) @use)
[(comment) (marginalia)] @comment
