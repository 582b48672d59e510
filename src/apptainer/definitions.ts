import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';

/** What the agent works better with: without git its sessions have no undo, and vanish from its list. */
export const wantedTools = ['git', 'bash', 'python3', 'rg', 'less', 'ps'] as const;

/** In a shell of any image: prints which of the tools are missing. */
export const missingToolsCommand = [
  '/bin/sh',
  '-c',
  'for tool; do command -v "$tool" >/dev/null || echo "$tool"; done',
  'tools',
  ...wantedTools,
];

/**
 * By the image's own package manager, whichever it is. Without root a build has one user, and apt wants to be another
 * one when it downloads: it fails then, where Apptainer has no fakeroot (measured with 1.4.5).
 */
const installTools = `    set -e
    if command -v apk >/dev/null; then
        apk add --no-cache git bash python3 ripgrep less procps
    elif command -v apt-get >/dev/null; then
        export DEBIAN_FRONTEND=noninteractive
        apt-get -o APT::Sandbox::User=root update
        apt-get -o APT::Sandbox::User=root install -y --no-install-recommends git bash python3 ripgrep less procps
        rm -rf /var/lib/apt/lists/*
    elif command -v dnf >/dev/null; then
        dnf install -y git bash python3 ripgrep less procps-ng
        dnf clean all
    else
        echo 'This image has no package manager that is known: apk, apt-get or dnf.' >&2
        exit 1
    fi`;

/** As its makers publish it for every C library, without the rest of Node.js: the package's own installer is a script of it. */
const installOpencode = `    set -e
    if command -v npm >/dev/null; then
        npm install --global --no-fund --no-audit "opencode-ai@{{ OPENCODE_VERSION }}"
    else
        curl -fsSL https://opencode.ai/install -o /tmp/install-opencode
        HOME=/opt bash /tmp/install-opencode --version "{{ OPENCODE_VERSION }}" --no-modify-path
        ln -sf /opt/.opencode/bin/opencode /usr/local/bin/opencode
        rm /tmp/install-opencode
    fi`;

/** It wants to write in its home, and when `%test` runs the image is read-only already (seen with 1.18.33). */
const testOpencode = `    set -e
    HOME=$(mktemp -d)
    export HOME
    trap 'rm -rf "$HOME"' EXIT
    opencode --version`;

/** The version that this extension is tested with. */
export const testedOpencodeVersion = '1.18.33';

/**
 * A definition that puts the tools on top of an image that is there.
 * @param image absolute path of a SIF file
 * @throws UserError for a path that a definition can't name
 */
export function completeDefinition(image: string): string {
  return `Bootstrap: localimage
From: ${definable(image)}

%post
${installTools}

%test
    for tool in git bash python3 less; do command -v "$tool" || exit 1; done
`;
}

/** A definition that adds opencode and its tools to an image. @throws UserError as {@link completeDefinition} */
export function addOpencodeDefinition(image: string): string {
  return `Bootstrap: localimage
From: ${definable(image)}

%arguments
    OPENCODE_VERSION=${testedOpencodeVersion}

%post
${installTools}
${installOpencode}

%test
${testOpencode}
`;
}

/** A line break in it would begin a section of its own; braces would be replaced. */
function definable(path: string): string {
  if (!/[\x00-\x1f\x7f]|\{\{|#/.test(path) && path === path.trim()) return path;
  throw new UserError(
    'build.path',
    message('The image {0} can’t be built upon because of the characters in its path. Rename it.', path),
  );
}
