"""Code search for people and agents: ripgrep, tree-sitter symbols and hybrid search. Needs no sibling package.

This module is the public face: sibling packages import from here, never from a module below (held by import-linter).
A name is loaded when it is first used, so that importing the package costs nothing.
"""

from typing import TYPE_CHECKING

from codeintel_index.face import load_on_use

if TYPE_CHECKING:
    from codeintel_index.config import IndexConfig as IndexConfig
    from codeintel_index.errors import (
        ArgumentsRefused as ArgumentsRefused,
        BadArgument as BadArgument,
        BadConfig as BadConfig,
        BadPattern as BadPattern,
        EmptyArgument as EmptyArgument,
        IndexFault as IndexFault,
        NotAFile as NotAFile,
        PathOutsideProject as PathOutsideProject,
        ToolTimeout as ToolTimeout,
        UnknownChunk as UnknownChunk,
    )
    from codeintel_index.files import Files as Files
    from codeintel_index.globs import compile_glob as compile_glob, expand_glob as expand_glob
    from codeintel_index.index import Index as Index
    from codeintel_index.languages.table import find_language as find_language
    from codeintel_index.paths import confine as confine, read_source as read_source
    from codeintel_index.results import MapEntry as MapEntry
    from codeintel_index.settings import Settings as Settings
    from codeintel_index.stub_detection.assertions import (
        Asserted as Asserted,
        AssertingTest as AssertingTest,
        find_assertions as find_assertions,
        list_tests as list_tests,
    )
    from codeintel_index.stub_detection.borders import find_borders as find_borders
    from codeintel_index.stub_detection.comparisons import find_compared as find_compared, find_entered as find_entered
    from codeintel_index.stub_detection.doubts import (
        find_unfailing as find_unfailing,
        find_unlisted as find_unlisted,
    )
    from codeintel_index.stub_detection.hollow import (
        Hollow as Hollow,
        find_hollows as find_hollows,
        find_reverted as find_reverted,
        find_turned as find_turned,
        has_same_code as has_same_code,
        hollowed as hollowed,
        is_unreadable as is_unreadable,
    )
    from codeintel_index.stub_detection.literals import find_repeated as find_repeated
    from codeintel_index.stub_detection.substitutes import (
        find_replaced as find_replaced,
        find_text_asked as find_text_asked,
    )
    from codeintel_index.stub_detection.unread import find_unread as find_unread
    from codeintel_index.text.redaction import (
        find_secrets as find_secrets,
        is_private as is_private,
        mask_all as mask_all,
        mask_text as mask_text,
        sign_of as sign_of,
        signed_text as signed_text,
    )
    from codeintel_index.tools.binaries import find_rg as find_rg

__getattr__ = load_on_use(globals())
