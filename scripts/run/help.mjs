/** What `npm run NAME -- --help` says, by the name. Shown before anything is installed or asked. */
export const helpTexts = {
  try: `Try Sandboxed Agent from this clone.

  npm run try -- [FOLDER]                     opens VS Code on FOLDER, with the extension loaded
                                              (default: a copy of example/ in .cache/example)
  npm run try -- --headless FOLDER "task"     runs one task in the sandbox, without a window, and prints
                                              what was verified, the agent's text and the changed files

  --network MODE        what the sandbox of a task can reach: “restricted” (the default) and “none”, its model
                        alone; “open”, whatever this computer reaches
  --timeout SECONDS     ends a task after so long (default: 600)
  --yes                 do not ask before what needs root (only root is asked)

What is missing is fetched into .cache/ in this clone, without root: Apptainer (on Debian and its like), an image
with opencode, and a VS Code server where there is no desktop VS Code. Delete .cache/ to be rid of all of it.
SANDBOXED_AGENT_APPTAINER=/path/of/apptainer names an Apptainer that is in none of the usual places.

A task's exit code: that of the agent; 124 the time was up; 130 stopped; 3 the sandbox could not be verified.
`,
  test: `Test Sandboxed Agent.

  npm test                           unit, sandbox, extension, ui
  npm test -- PART… [MOCHA OPTION…]  some of: unit, sandbox, extension, ui, vsix, long, soak

  --yes                 do not ask before what needs root (only root is asked)

Everything that they need is got into .cache/ (about 1 GB); CONTRIBUTING.md says what each part is.`,
  bench: `Measure Sandboxed Agent.

  npm run bench -- [--only NAME]… [--json FILE]

docs/benchmarks.md says what each bench measures, and how to read it.`,
  probes: `Try to get out of sandboxes, and compare them.

  npm run probes -- [--target ours|plain|bwrap|srt]… [--json FILE] [--markdown FILE]`,
};
