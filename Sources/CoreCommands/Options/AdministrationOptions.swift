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

  /// Runs a command that changes something and reports it; see ``KeyOption/change(_:_:isTrial:content:_:)``.
  package func change(
    _ company: some CompanyPlace,
    _ output: OutputOptions,
    content: String? = nil,
    _ body: (Services, ActingContext) async throws -> ChangeReport
  ) async throws {
    try await key.change(company, output, isTrial: dryRun, content: content, body)
  }
}

/// Options that may say that nothing is to be changed.
package protocol MayBeDry {
  /// True for a dry run.
  var isDry: Bool { get }
}

extension AdministrationOptions: MayBeDry {
  package var isDry: Bool { dryRun }

  /// True if a parsed command has this group with `--dry-run`: it runs in a ``Rehearsal``, so that no transaction of it
  /// can commit.
  package static func isDry(_ command: any ParsableCommand) -> Bool {
    Mirror(reflecting: command).children.contains { ($0.value as? any MayBeDry)?.isDry == true }
  }
}

extension OptionGroup: MayBeDry where Value: MayBeDry {
  package var isDry: Bool { wrappedValue.isDry }
}
