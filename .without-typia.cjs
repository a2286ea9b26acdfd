// Validators are written into the files that ask for them: what is left of the import there would only be loaded, a sixth of the
// files of each process. Runs after the transformer of typia, see `tsconfig.json`.
module.exports.default =
  (_program, _config, { ts }) =>
  ({ factory }) =>
  (file) => {
    const kept = file.statements.filter((one) => !ts.isImportDeclaration(one) || one.moduleSpecifier.text !== 'typia');
    return factory.updateSourceFile(file, kept);
  };
