; JSON. Keys of the document and of the objects right below it.
(document (object (pair key: (string) @name) @definition.key))
(document (object (pair value: (object (pair key: (string) @name) @definition.key))))
(comment) @comment
