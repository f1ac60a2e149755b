# Two commands do everything on a fresh Debian machine: `make run` and `make test`.

SHELL := /bin/bash
CARGO ?= cargo
# What a command needs and the Debian package that brings it.
NEEDS := gcc:gcc g++:g++ python3:python3 javac:default-jdk-headless node:nodejs fpc:fp-compiler

.PHONY: run test lint bench deps help

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "make %-6s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: deps ## build, start the daemon here, judge the sample submissions
	$(CARGO) build --release --locked --quiet
	exec target/release/verdictd --config config.toml serve

test: deps ## every test, with real compilers
	$(CARGO) test --locked

lint: ## formatting and lints, warnings are errors
	$(CARGO) fmt --check
	$(CARGO) clippy --locked --all-targets -- -D warnings

bench: deps ## every bench, as ratios within one run
	$(CARGO) bench --locked

deps: ## install the compilers that are missing (Debian)
	@missing=(); \
	for need in $(NEEDS); do \
	  command -v "$${need%%:*}" >/dev/null 2>&1 || missing+=("$${need##*:}"); \
	done; \
	command -v $(CARGO) >/dev/null 2>&1 || { echo "Rust is missing: install it with rustup (https://rustup.rs) or 'apt-get install cargo'" >&2; exit 1; }; \
	if [ $${#missing[@]} -gt 0 ]; then \
	  echo "installing $${missing[*]}"; \
	  root=; [ "$$(id -u)" = 0 ] || root=sudo; \
	  $$root apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$root apt-get install -y -qq --no-install-recommends "$${missing[@]}" >/dev/null; \
	fi
