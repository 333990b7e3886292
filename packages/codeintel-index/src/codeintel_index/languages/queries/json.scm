; JSON. Keys of the document and of the objects right below it.
(document (object (pair key: (string (string_content) @name)) @definition.key))
(document (object (pair value: (object (pair key: (string (string_content) @name)) @definition.key))))
(comment) @comment
