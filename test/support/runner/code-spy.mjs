// Loaded before the command line (`--import`): prints a line for every call of Function and eval, whoever makes it.
const spied = new Proxy(Function, {
  apply(target, self, given) {
    process.stdout.write('CODE GENERATED\n');
    return Reflect.apply(target, self, given);
  },
  construct(target, given) {
    process.stdout.write('CODE GENERATED\n');
    return Reflect.construct(target, given);
  },
});
globalThis.Function = spied;
// What `(() => {}).constructor` gives.
Function.prototype.constructor = spied;
const { eval: evaluate } = globalThis;
globalThis.eval = (source) => {
  process.stdout.write('CODE GENERATED\n');
  return evaluate(source);
};
