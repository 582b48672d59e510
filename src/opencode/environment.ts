/**
 * The variables that opencode gets inside the sandbox besides those of Apptainer and the image. They keep it from
 * calling home at its start: the catalogue of models, an update, an npm package that fills a home in memory, and
 * language servers (complete list of what opencode 1.18 does; measured with a recording name server). None of them
 * is a secret and none is a boundary.
 */
export const agentEnvironment: Readonly<Record<string, string>> = {
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_SHARE: '1',
  NPM_CONFIG_OFFLINE: 'true',
  // the terminal shows 24-bit colours, but `--containall` does not let the variable through that says so
  COLORTERM: 'truecolor',
  LANG: 'C.UTF-8',
};
