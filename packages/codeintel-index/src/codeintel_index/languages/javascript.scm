; JavaScript only.
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @definition.function
(field_definition property: (_) @name) @member.field
