package import ArgumentParser
package import Engine

/// How a command of administration changes something: once for a key, or as a dry run.
package struct AdministrationOptions: ParsableArguments {
  @OptionGroup package var key: KeyOption
  @Flag(help: "Report what would happen, then roll back") package var dryRun = false

  package init() {}

  /// Runs a command's body once for its key; see ``KeyOption/once(_:_:_:_:)``. A dry run neither asks nor keeps the key.
  package func once<Answer: Codable>(
    _ services: Services,
    _ acting: ActingContext?,
    _ request: [String?],
    _ body: () async throws -> Answer
  ) async throws -> Answer {
    dryRun ? try await body() : try await key.once(services, acting, request, body)
  }

  /// True if a parsed command has this group with `--dry-run`: it runs in a ``Rehearsal``, so that no transaction of it
  /// can commit.
  package static func isDry(_ command: any ParsableCommand) -> Bool {
    Mirror(reflecting: command).children.contains { child in
      (child.value as? OptionGroup<AdministrationOptions>)?.wrappedValue.dryRun == true
    }
  }
}
