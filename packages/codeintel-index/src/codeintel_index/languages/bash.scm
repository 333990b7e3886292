; Bash and its relatives.
(function_definition name: (word) @name) @definition.function

(program (variable_assignment name: (variable_name) @name) @top.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name) @top.variable))

((command name: (command_name (word) @_source) . argument: [(word) (string) (raw_string) (concatenation)] @module) @import
  (#any-of? @_source "source" "." "load" "bats_load_library"))

(command_name (word) @use)
((command argument: (word) @use) (#match? @use "^[A-Za-z_][A-Za-z0-9_]*$"))
(variable_name) @use
(comment) @comment
