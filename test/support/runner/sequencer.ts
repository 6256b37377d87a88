import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node';

/** Runs projects in the order of `names`; files of one project in the order vitest gives them, longest first. */
export const inOrderOfProjects = (names: readonly string[]): TestSequencerConstructor =>
  class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const sorted = await super.sort(files);
      return sorted.sort((one, other) => names.indexOf(one.project.name) - names.indexOf(other.project.name));
    }
  };
