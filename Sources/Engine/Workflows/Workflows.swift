package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A workflow with its installed versions, and the version that a company follows.
package struct WorkflowSummary: Sendable {
  package let type: String
  /// The installed versions, oldest first.
  package let versions: [Int]
  /// The definition: the company's if a company was given, otherwise the newest.
  package let definition: WorkflowDefinition
  /// The target version of an activation; nil if none is under way.
  package let next: Int?
  /// True if the company has an overlay.
  package let isTightened: Bool
}

/// The workflows of the installed apps, and the versions that companies follow.
package struct Workflows: Sendable {
  let services: Services
  let records: Records
  let administration: CompanyAdministration

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
    administration = CompanyAdministration(services)
  }

  /// Returns all workflows: as a company follows them, or in their newest version.
  package func list(_ acting: ActingContext?) async throws -> [WorkflowSummary] {
    let types = records.catalogue.types.filter { $0.workflow != nil }.map(\.name)
    guard let acting else {
      return try await services.database.transaction { tx in
        try types.map { try Self.summary(of: $0, choices: nil, version: nil, tx) }
      }
    }
    return try await administration.read(acting, permission: "workflow.read") { tx, _ in
      let choices = try WorkflowStore.choices(company: acting.company.id, tx)
      return try types.map { try Self.summary(of: $0, choices: choices, version: nil, tx) }
    }
  }

  /// Returns one workflow: as a company follows it, in a given version, or in its newest.
  ///
  /// - Throws: `unknown_type`, `not_found` for a type without a workflow or a version that was never
  ///   installed.
  package func show(_ type: String, _ acting: ActingContext?, version: Int? = nil) async throws
    -> WorkflowSummary
  {
    try requireWorkflow(type)
    guard let acting else {
      return try await services.database.transaction { tx in
        try Self.summary(of: type, choices: nil, version: version, tx)
      }
    }
    return try await administration.read(acting, permission: "workflow.read") { tx, _ in
      let choices = try WorkflowStore.choices(company: acting.company.id, tx)
      return try Self.summary(of: type, choices: choices, version: version, tx)
    }
  }

  func requireWorkflow(_ type: String) throws {
    guard try records.catalogue.type(type).workflow == nil else { return }
    let names = records.catalogue.types.filter { $0.workflow != nil }.map(\.name)
    throw DomainError(
      .notFound,
      "\(type) has no workflow",
      hint: "there are: \(names.joined(separator: ", "))"
    )
  }

  private static func summary(
    of type: String,
    choices: WorkflowStore.Choices?,
    version: Int?,
    _ tx: Transaction
  ) throws -> WorkflowSummary {
    let versions = try WorkflowStore.versions(of: type, tx)
    let followed = choices.flatMap { $0.versions[type]?.version ?? versions.first }
    let number = version ?? followed ?? versions.last ?? 0
    let definition = try definition(of: type, version: number, versions, tx)
    let overlay = choices?.overlays[type]?.first { $0.version == number }
    return WorkflowSummary(
      type: type,
      versions: versions,
      definition: overlay.map(definition.tightened(by:)) ?? definition,
      next: choices?.versions[type]?.next,
      isTightened: overlay != nil
    )
  }

  /// - Throws: `not_found`, listing the installed versions.
  static func definition(
    of type: String,
    version: Int,
    _ versions: [Int],
    _ tx: Transaction
  ) throws -> WorkflowDefinition {
    guard let definition = try WorkflowStore.definition(of: type, version: version, tx) else {
      throw DomainError(
        .notFound,
        "there is no version \(version) of the workflow \(type)",
        hint: "there are: \(versions.map(String.init).joined(separator: ", "))"
      )
    }
    return definition
  }
}
