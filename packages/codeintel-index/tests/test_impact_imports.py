"""Every spelling of an import, language by language: parsed from source, and told to mean a file or not."""

from pathlib import Path

import pytest

from codeintel_index.impact.importers import link, project_of
from codeintel_index.impact.uses import dotted
from codeintel_index.languages.resolution import Link, Project, Target
from codeintel_index.languages.table import LANGUAGES, language_id
from codeintel_index.syntax.parsing import structure
from codeintel_index.testing import write_files

MANIFESTS = {
    "go.mod": "module example.org/shop\n\ngo 1.24\n",
    "packages/core/package.json": '{"name": "@shop/core"}',
    "packages/plain/package.json": '{"name": "plain"}',
    "tsconfig.json": '{\n  // paths\n  "compilerOptions": {"baseUrl": ".", "paths": {"#ui/*": ["web/ui/*"],}},\n}\n',
    "crates/my-core/Cargo.toml": '[package]\nname = "my-core"\n',
    "composer.json": '{"autoload": {"psr-4": {"Acme\\\\Shop\\\\": "src/"}}}',
    "broken/package.json": "{",
    "odd/package.json": "[]",
    "src/own.h": "",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with a manifest of each kind, two of which say nothing."""
    root: Path = tmp_path_factory.mktemp("manifests")
    write_files(root, MANIFESTS)
    return project_of(root, MANIFESTS)


def close(project: Project, importer: str, source: str, target: str, text: str = "") -> Link:
    """How close the imports in a source come to a target with this text."""
    defined = structure(target, text.encode()).symbols
    symbols = frozenset(dotted(each) for each in defined if each.kind != "namespace")
    imports = structure(importer, f"{source}\n".encode()).imports
    assert imports, "the source has an import"
    return max(link(importer, each, Target(target, symbols), project) for each in imports)


ORDER_CS = "namespace Shop.Models;\npublic class Order { public int Total() { return 1; } }\n"
USER_PHP = "<?php\nnamespace Blog\\Models;\nclass User {}\n"
CART_EX = "defmodule Shop.Cart do\n  def total, do: 1\nend\n"
UTILS_KT = "package com.shop.model\n\nfun helper() = 1\n"

MEANT = [
    ("pkg/other.py", "from pkg.db import store", "pkg/db/store.py", ""),
    ("pkg/other.py", "from .db import store as s", "pkg/db/store.py", ""),
    ("pkg/sub/deep.py", "from ..db.store import save", "pkg/db/store.py", ""),
    ("pkg/a.py", "from . import db", "pkg/db/__init__.py", ""),
    ("pkg/a.py", "from .db import *", "pkg/db/__init__.py", ""),
    ("main.py", "import pkg.db.store as s", "src/pkg/db/store.py", ""),
    ("main.py", "import pkg.db", "pkg/db/__init__.py", ""),
    ("main.py", "from db.store import save", "pkg/db/store.py", ""),
    ("setup.py", "import utils", "utils.py", ""),
    ("app.py", "import importlib\nm = importlib.import_module('pkg.db.store')", "pkg/db/store.py", ""),
    ("app.py", "m = __import__('pkg.db.store')", "pkg/db/store.py", ""),
    ("web/app.ts", "import f from './util/format'", "web/util/format.ts", ""),
    ("web/app.ts", "import f from './util/format.js'", "web/util/format.ts", ""),
    ("web/app.ts", "import type {F} from './util/format'", "web/util/format.d.ts", ""),
    ("web/app.ts", "import f from './foo.service'", "web/foo.service.ts", ""),
    ("web/pages/a.tsx", "import f from '../util'", "web/util/index.ts", ""),
    ("web/app.js", "const f = require('..')", "index.js", ""),
    ("web/app.js", "const {f} = require('./util/format')", "web/util/format.js", ""),
    ("web/app.ts", "export * from './util/format'", "web/util/format.tsx", ""),
    ("web/app.ts", "export {f} from './util/format'", "web/util/format.ts", ""),
    ("web/app.ts", "const f = await import('./util/format')", "web/util/format.ts", ""),
    ("web/app.ts", "import './style.css'", "web/style.css", ""),
    ("web/app.ts", "import x from './data?raw'", "web/data.ts", ""),
    ("web/app.ts", "import f from '@/util/format'", "src/util/format.ts", ""),
    ("web/app.ts", "import f from '~/util/format'", "src/util/format.ts", ""),
    ("web/app.ts", "import f from '#ui/format'", "web/ui/format.ts", ""),
    ("packages/b/src/x.ts", "import f from '@shop/core'", "packages/core/src/index.ts", ""),
    ("packages/b/src/x.ts", "import f from 'plain'", "packages/plain/index.js", ""),
    ("packages/b/src/x.ts", "import f from '@shop/core/util/format'", "packages/core/src/util/format.ts", ""),
    ("src/main.rs", "use crate::net::tcp;", "src/net/tcp.rs", ""),
    ("src/main.rs", "use crate::net::{tcp, udp};", "src/net/tcp.rs", ""),
    ("src/main.rs", "use crate::net::tcp::{self, Stream};", "src/net/tcp.rs", ""),
    ("src/main.rs", "use crate::net::tcp::*;", "src/net/tcp.rs", ""),
    ("src/net/udp.rs", "use super::tcp::Stream;", "src/net/tcp.rs", ""),
    ("src/net/mod.rs", "use self::tcp::Stream;", "src/net/tcp.rs", ""),
    ("src/net/mod.rs", "use tcp::Stream;", "src/net/tcp.rs", ""),
    ("src/net/tcp.rs", "use super::Conn;", "src/net/mod.rs", ""),
    ("src/net/tcp.rs", "use super::*;", "src/net.rs", ""),
    ("crates/app/src/main.rs", "use my_core::net::Conn;", "crates/my-core/src/net.rs", ""),
    ("crates/app/src/main.rs", "use my_core::Conn;", "crates/my-core/src/lib.rs", ""),
    ("java/app/A.java", "import com.shop.model.Order;", "java/com/shop/model/Order.java", ""),
    ("java/app/A.java", "import static com.shop.model.Order.MAX;", "java/com/shop/model/Order.java", ""),
    ("java/app/A.java", "import com.shop.model.Order.Line;", "java/com/shop/model/Order.java", ""),
    ("kt/A.kt", "import com.shop.model.Order as O", "kt/com/shop/model/Order.kt", ""),
    ("kt/A.kt", "import com.shop.model.helper", "kt/com/shop/model/Utils.kt", UTILS_KT),
    ("kt/A.kt", "import com.shop.model.Order", "java/com/shop/model/Order.java", ""),
    ("s/A.scala", "import com.shop.model.{Order, Line => L}", "s/com/shop/model/Line.scala", ""),
    ("src/a.c", '#include "net/tcp.h"', "include/net/tcp.h", ""),
    ("src/a.c", "#include <net/tcp.h>", "include/net/tcp.h", ""),
    ("src/a.c", '#include "tcp.h"', "src/tcp.h", ""),
    ("src/a.cpp", '#include "../lib/tcp.hpp"', "lib/tcp.hpp", ""),
    ("src/deep/a.c", '#include "tcp.h"', "include/tcp.h", ""),
    ("App/A.cs", "using static Shop.Models.Order;", "Shop/Models/Order.cs", ORDER_CS),
    ("App/A.cs", "using O = Shop.Models.Order;", "Elsewhere/Order.cs", ORDER_CS),
    ("app/A.php", "<?php\nuse Blog\\Models\\User as U;", "anywhere/User.php", USER_PHP),
    ("app/A.php", "<?php\nuse Blog\\Models\\{User, Post};", "anywhere/User.php", USER_PHP),
    ("app/A.php", "<?php\nuse Acme\\Shop\\Models\\User;", "src/Models/User.php", ""),
    ("app/A.php", "<?php\nuse App\\Models\\User;", "app/Models/User.php", ""),
    ("src/A.php", "<?php\nrequire_once __DIR__ . '/lib/util.php';", "src/lib/util.php", ""),
    ("src/A.php", "<?php\nrequire 'lib/util.php';", "src/lib/util.php", ""),
    ("lib/a.rb", "require 'shop/cart'", "lib/shop/cart.rb", ""),
    ("lib/shop/a.rb", "require_relative '../cart'", "lib/cart.rb", ""),
    ("lib/shop.rb", "autoload :Cart, 'shop/cart'", "lib/shop/cart.rb", ""),
    ("spec/deep/a_spec.rb", "require 'spec_helper'", "spec/spec_helper.rb", ""),
    ("lib/a.ex", "alias Shop.Cart", "lib/any/where.ex", CART_EX),
    ("lib/a.ex", "alias Shop.{Line, Cart}", "lib/any/where.ex", CART_EX),
    ("lib/a.ex", "use ShopWeb, :controller", "lib/shop_web.ex", ""),
    ("lua/a.lua", "local c = require('shop.cart')", "lua/shop/cart.lua", ""),
    ("lua/a.lua", 'local c = require "shop/cart"', "lua/shop/cart.lua", ""),
    ("lua/a.lua", 'local c = require "shop"', "lua/shop/init.lua", ""),
    ("app/Main.hs", "import qualified Data.Shop.Cart as C", "src/Data/Shop/Cart.hs", ""),
    ("app/Main.hs", "import Cart (total)", "src/Cart.hs", ""),
    ("src/net/main.zig", 'const c = @import("../cart.zig");', "src/cart.zig", ""),
    ("bin/a.sh", "source ./lib/util.sh", "bin/lib/util.sh", ""),
    ("bin/a.sh", 'source "$(dirname "$0")/../lib/util.sh"', "lib/util.sh", ""),
    ("bin/a.sh", '. "${DIR}/lib/util.sh"', "lib/util.sh", ""),
    ("test/a.bats", "load test_helper", "test/test_helper.bash", ""),
    ("web/a.css", "@import 'base.css';", "web/base.css", ""),
    ("web/a.html", '<script src="/js/app.js"></script>', "js/app.js", ""),
]
NOT_MEANT = [
    ("pkg/a.py", "import store", "pkg/db/store.py"),
    ("pkg/a.py", "import json", "pkg/json.py"),
    ("pkg/a.py", "import os.path", "lib/path.py"),
    ("pkg/a.py", "from ..core import x", "pkg/core.py"),
    ("pkg/a.py", "from flask import json", "pkg/json.py"),
    ("web/app.ts", "import f from './format'", "web/util/format.ts"),
    ("web/app.ts", "import f from 'format'", "web/util/format.ts"),
    ("web/app.ts", "import f from './foo'", "web/foo.service.ts"),
    ("cmd/main.go", 'package m\nimport "errors"', "errors/db.go"),
    ("cmd/main.go", 'package m\nimport "example.org/other/errors"', "errors/db.go"),
    ("cmd/main.go", 'package m\nimport "example.org/shop/restore"', "store/db.go"),
    ("src/main.rs", "use std::net::tcp;", "src/net/tcp.rs"),
    ("src/main.rs", "use other::net::tcp;", "lib/net/tcp.rs"),
    ("java/A.java", "import com.other.Order;", "java/com/shop/model/Order.java"),
    ("src/a.c", '#include "own.h"', "include/own.h"),
    ("lib/a.c", "#include <string.h>", "src/string.h"),
    ("App/A.cs", "using System.Text;", "Shop/Text/Order.cs"),
    ("app/A.php", "<?php\nuse Psr\\Log\\User;", "src/Models/User.php"),
    ("lib/a.rb", "require 'json'", "lib/shop/json.rb"),
    ("lib/shop.rb", "require 'shop/cart'", "lib/cart.rb"),
    ("src/net/main.zig", 'const c = @import("cart.zig");', "src/cart.zig"),
]
PACKAGES = [
    ("cmd/main.go", 'package m\nimport "example.org/shop/store"', "store/db.go", ""),
    ("cmd/main.go", 'package m\nimport s "example.org/shop/internal/store"', "internal/store/db.go", ""),
    ("cmd/main.go", 'package m\nimport "example.org/shop"', "db.go", ""),
    ("java/app/A.java", "import com.shop.model.*;", "java/com/shop/model/Order.java", ""),
    ("s/A.scala", "import com.shop.model._", "s/com/shop/model/Line.scala", ""),
    ("App/A.cs", "using Shop.Models;", "anywhere/Order.cs", ORDER_CS),
    ("src/a.c", '#include "own.h"', "src/own.c", ""),
]


@pytest.mark.parametrize(("importer", "source", "target", "text"), MEANT)
def test_an_import_means_a_file(project: Project, importer: str, source: str, target: str, text: str) -> None:
    assert close(project, importer, source, target, text) is Link.FILE


@pytest.mark.parametrize(("importer", "source", "target"), NOT_MEANT)
def test_an_import_of_something_else_does_not(project: Project, importer: str, source: str, target: str) -> None:
    assert close(project, importer, source, target) is Link.NONE


@pytest.mark.parametrize(("importer", "source", "target", "text"), PACKAGES)
def test_some_imports_mean_a_package_of_files(
    project: Project, importer: str, source: str, target: str, text: str
) -> None:
    assert close(project, importer, source, target, text) is Link.PACKAGE


def test_every_language_with_imports_of_files_has_its_cases() -> None:
    resolving = {each.id for each in LANGUAGES if each.imports.resolve}
    assert {language_id(importer) for importer, *_ in (*MEANT, *PACKAGES)} == resolving
