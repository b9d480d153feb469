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

extension ImportPlan {
  /// A plan for maintenance entries, with a heading for each column, and values for all of them.
  package init(
    entries map: [String: String],
    fixed: [String: String],
    createsMissing: Bool = true,
    skipsBad: Bool = false,
    repeats: Bool = false
  ) {
    self.init(
      type: "maintenance.entry",
      mapping: map.sorted { $0.key < $1.key }.map { (column: $0.key, heading: $0.value) },
      fixed: fixed.map { (column: $0.key, value: $0.value) },
      createsMissing: createsMissing,
      skipsBad: skipsBad,
      repeats: repeats
    )
  }
}
