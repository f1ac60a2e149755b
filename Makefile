# On a fresh Debian machine, `make run` and `make test` do everything.

SHELL := /bin/bash
CARGO ?= cargo
# NEEDED:PACKAGE, where NEEDED is a command or a path and PACKAGE the Debian package that has it.
NEEDS := gcc:gcc g++:g++ python3:python3 javac:default-jdk-headless node:nodejs fpc:fp-compiler
# Languages that only the tests try; compilers of hundreds of megabytes are left to `make soak`.
TEST_NEEDS := perl:perl lua:lua5.4 ruby:ruby mcs:mono-mcs mono:mono-runtime pypy3:pypy3
# Independent validators, with which the tests check what other programs read against schemas.
TEST_NEEDS += xmllint:libxml2-utils /usr/lib/python3/dist-packages/jsonschema:python3-jsonschema
# For the tests of power cuts, which record what is written to disk and when.
TEST_NEEDS += strace:strace
# For the tests of workers on other machines. An ordinary user's PATH lacks /usr/sbin.
TEST_NEEDS += /usr/sbin/nats-server:nats-server
SOAK_NEEDS := go:golang ghc:ghc ocamlopt:ocaml-nox kotlinc:kotlin
# For the tests of `make soak` that boot kernels in a virtual machine.
VM_NEEDS := qemu-system-x86_64:qemu-system-x86 busybox:busybox-static cpio:cpio
# For those that have exported problems looked at by BAPCtools.
BAPCTOOLS_NEEDS := /usr/share/doc/python3-venv:python3-venv
BAPCTOOLS_VERSION := 2026.10.0
# For the tests that open every page in a real browser.
BROWSER_NEEDS := node:nodejs npm:npm chromium:chromium

# For the package, and for what tries it in roots of Debian.
DEB_NEEDS := dh:debhelper go-md2man:go-md2man lintian:lintian
ROOTS_NEEDS := nginx:nginx caddy:caddy curl:curl openssl:openssl debootstrap:debootstrap qemu-system-x86_64:qemu-system-x86

# More than cores, because most tests mostly wait for a daemon.
TEST_THREADS ?= $(shell echo $$((4 * $$(nproc))))

.PHONY: run test test-times soak lint bench mutants pictures book deps deps-test deps-soak deps-vm deps-bapctools deps-browser help deb deb-test deny dist release

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Not an optimized build, which takes several times as long.
run: deps ## build, start the daemon here, judge the sample submissions
	$(CARGO) build --locked --quiet --bin verdictd
	exec $${CARGO_TARGET_DIR:-target}/debug/verdictd --config config.toml serve

test: deps deps-test ## every test, with real compilers and a real browser
	@$(run-tests)

test-times: deps deps-test ## where the CPU seconds of builds, lints and tests go; takes half an hour
	@tests/times

soak: deps deps-test deps-soak ## the same tests with every language, kernels in a virtual machine and many more rounds; takes hours
	@export SOAK=1; $(run-tests)

lint: ## formatting and lints, warnings are errors
	$(CARGO) fmt --check
	$(CARGO) clippy --locked --all-targets -- -D warnings

bench: deps ## every bench, and one table of ratios and targets
	$(CARGO) bench --locked

# .cargo/mutants.toml says what is changed and what is left out, and why.
MUTANTS_VERSION := 27.1.0
MUTANTS ?=

mutants: ## change the code in about nine hundred ways and list the changes that no unit test notices; takes hours (less with MUTANTS="-f src/judge/fold.rs" or "--shard 0/20")
	@$(CARGO) mutants --version 2>/dev/null | grep -qxF "cargo-mutants $(MUTANTS_VERSION)" || \
	  $(CARGO) install cargo-mutants --locked --version $(MUTANTS_VERSION)
	$(CARGO) mutants --output target $(MUTANTS)

pictures: ## make the pictures of the documents anew
	$(CARGO) build --locked --quiet --bin verdictd
	@tests/pictures

MDBOOK_VERSION := 0.5.4
BOOK := $${CARGO_TARGET_DIR:-target}/book

# The documents keep their places, so that links between them hold. Pages have no script and no style of mdBook's but
# its search, without the one style that it sets itself, which the dashboard forbids.
book: ## build the book of docs/SUMMARY.md into target/book; the dashboard shows it at /help/
	@mdbook --version 2>/dev/null | grep -qxF "mdbook v$(MDBOOK_VERSION)" || \
	  $(CARGO) install mdbook --locked --version $(MDBOOK_VERSION) --no-default-features --features search
	@set -e; book="$$(realpath -m "$(BOOK)")"; work="$$book-source"; rm -rf "$$work" "$$book"; mkdir -p "$$work/src"; \
	cp -r docs/book/. "$$work"; cat src/report/html/page.css docs/book/page.css >"$$work/page.css"; \
	cp -r *.md config.toml docs "$$work/src"; rm -r "$$work/src/docs/book" "$$work/src/docs/SUMMARY.md"; \
	sed 's:](:&docs/:; s:docs/\.\./::' docs/SUMMARY.md >"$$work/src/SUMMARY.md"; \
	PATH="$$HOME/.cargo/bin:$$PATH" mdbook build "$$work" --dest-dir "$$book"; \
	sed -i "/tmp.setAttribute('style'/d" "$$book/searcher.js"; \
	find "$$book" -name '*.html' -exec sed -i 's:\(<a class="chapter" href=".*\)\.md":\1.html":' {} +; \
	cd "$$book" && rm -rf css fonts .nojekyll ayu-highlight.css book.js clipboard.min.js favicon.* highlight.* toc.* tomorrow-night.css

# One binary with everything, its manual, completions and services; packaging/README.md.
deb: deps book ## build the Debian package, target/deb/verdictd_VERSION_ARCH.deb
	$(call install,$(DEB_NEEDS))
	$(CARGO) build --release --locked --bin verdictd
	packaging/build-deb "$${CARGO_TARGET_DIR:-target}/release/verdictd"
	lintian --fail-on error "$${CARGO_TARGET_DIR:-target}"/deb/*.deb

deb-test: ## install, use, upgrade, remove and purge the package in clean roots of Debian 12 and 13
	$(call install,$(ROOTS_NEEDS))
	packaging/try-deb "$${CARGO_TARGET_DIR:-target}"/deb/verdictd_*.deb
	packaging/try-proxies "$${CARGO_TARGET_DIR:-target}/release/verdictd"
	packaging/try-boot "$${CARGO_TARGET_DIR:-target}"/deb/verdictd_*.deb

deny: ## check licences, duplicates and sources of the libraries by deny.toml, and known vulnerabilities where their list can be had
	packaging/deny

dist: book ## a tar for other distributions, with checksums and a CycloneDX list of what is in it, in target/dist
	packaging/dist

release: ## check that tag, changelog and version agree, then build and try everything that is released; takes hours
	packaging/release

# Runs the tests and lists what was skipped, which the test runner does not show.
define run-tests
export VERDICTD_SKIPPED="$${CARGO_TARGET_DIR:-$(CURDIR)/target}/skipped"; \
mkdir -p "$$(dirname "$$VERDICTD_SKIPPED")"; : >"$$VERDICTD_SKIPPED"; \
$(CARGO) test --locked --no-fail-fast -- --test-threads=$(TEST_THREADS); code=$$?; \
if [ -s "$$VERDICTD_SKIPPED" ]; then echo "skipped:"; sort -u "$$VERDICTD_SKIPPED"; fi; \
exit $$code
endef

# Installs the packages of the commands and paths in $(1) that are missing.
define install
	@missing=(); \
	for need in $(1); do \
	  [ -e "$${need%%:*}" ] || command -v "$${need%%:*}" >/dev/null 2>&1 || missing+=("$${need##*:}"); \
	done; \
	if [ $${#missing[@]} -gt 0 ]; then \
	  echo "installing $${missing[*]}"; \
	  root=; [ "$$(id -u)" = 0 ] || root=sudo; \
	  $$root apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$root apt-get install -y -qq --no-install-recommends "$${missing[@]}" >/dev/null; \
	fi
endef

deps: ## install missing compilers (Debian)
	@command -v $(CARGO) >/dev/null 2>&1 || { echo "Rust is missing: install it with rustup (https://rustup.rs) or 'apt-get install cargo'" >&2; exit 1; }
	$(call install,$(NEEDS))

deps-test: ## install what only the tests need; if that fails, the tests say what they skip
	-$(call install,$(TEST_NEEDS))
	-@$(MAKE) --no-print-directory deps-browser

deps-soak:
	$(call install,$(SOAK_NEEDS))
	-@$(MAKE) --no-print-directory deps-vm
	-@$(MAKE) --no-print-directory deps-bapctools

# If this fails, the tests say which of them they skip.
deps-vm: ## install the emulator and download Debian's kernels for it
	$(call install,$(VM_NEEDS))
	@tests/fixtures/vm/fetch-kernels "$${CARGO_TARGET_DIR:-target}/vm"

deps-bapctools: ## install BAPCtools, which looks at packages of the format 2025-09
	$(call install,$(BAPCTOOLS_NEEDS))
	@tools="$${CARGO_TARGET_DIR:-target}/bapctools"; [ -x "$$tools/bin/bt" ] || \
	  { python3 -m venv "$$tools" && "$$tools/bin/pip" install --quiet "bapctools==$(BAPCTOOLS_VERSION)"; }

# The same for the browser and its driver; with CI=true such tests fail.
deps-browser: ## install the browser, its driver and an accessibility checker
	$(call install,$(BROWSER_NEEDS))
	@$(MAKE) --no-print-directory tests/browser/node_modules/.package-lock.json

tests/browser/node_modules/.package-lock.json: tests/browser/package-lock.json
	@npm ci --prefix tests/browser --silent --no-audit --no-fund
	@touch $@
