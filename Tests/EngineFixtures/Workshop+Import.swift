package import Engine

extension Workshop {
  /// Imports a text as a file, as the operator.
  package func importing(_ text: String, _ plan: ImportPlan) async throws -> ImportOutcome {
    try await TemporaryFile.with(text) { path in
      try await RecordImporter(
        engine.operators,
        Records(engine.operators, catalogue: engine.catalogue)
      ).run(operatorContext, path: path, plan: plan)
    }
  }
}
