; Markdown. A section is its heading with all that follows, sections of lower rank included.
(section . (atx_heading heading_content: (inline) @name)) @definition.section
(section (setext_heading heading_content: (paragraph (inline) @name)) @definition.section)
