package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A workflow with its installed versions, and the version that a company follows.
package struct WorkflowSummary: Sendable {
  package let type: String
  /// The installed versions, oldest first.
  package let versions: [Int]
  /// The definition that the company follows, with its overlay; without a company the newest version.
  package let definition: WorkflowDefinition
  /// The version that an activation under way moves to; nil if none is under way.
  package let next: Int?
  /// True if the company has an overlay of the shown version.
  package let isTightened: Bool
}

/// The use cases of workflows: the installed versions, and the versions that companies follow.
package struct Workflows: Sendable {
  let services: Services
  let records: Records
  let administration: CompanyAdministration

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
    administration = CompanyAdministration(services)
  }

  /// Returns all workflows: as the company follows them, or without a company in their newest versions.
  package func list(_ acting: ActingContext?) async throws -> [WorkflowSummary] {
    let types = records.catalogue.types.filter { $0.workflow != nil }.map(\.name)
    guard let acting else {
      return try await services.database.transaction { tx in
        try types.map { try Self.summary(of: $0, for: nil, choices: nil, version: nil, tx) }
      }
    }
    return try await administration.read(acting, permission: "workflow.read") { tx, _ in
      let choices = try WorkflowStore.choices(company: acting.company.id, tx)
      return try types.map {
        try Self.summary(of: $0, for: acting.company.id, choices: choices, version: nil, tx)
      }
    }
  }

  /// Returns one workflow: in the given version, otherwise as the company follows it, otherwise in its newest
  /// version.
  ///
  /// - Throws: `unknown_type`; `not_found` for a type without a workflow or a version that was never
  ///   installed.
  package func show(_ type: String, _ acting: ActingContext?, version: Int? = nil) async throws
    -> WorkflowSummary
  {
    try requireWorkflow(type)
    guard let acting else {
      return try await services.database.transaction { tx in
        try Self.summary(of: type, for: nil, choices: nil, version: version, tx)
      }
    }
    return try await administration.read(acting, permission: "workflow.read") { tx, _ in
      let choices = try WorkflowStore.choices(company: acting.company.id, tx)
      return try Self.summary(of: type, for: acting.company.id, choices: choices, version: version, tx)
    }
  }

  func requireWorkflow(_ type: String) throws {
    guard try records.catalogue.type(type).workflow == nil else { return }
    let names = records.catalogue.types.filter { $0.workflow != nil }.map(\.name)
    throw DomainError(
      .notFound,
      "\(type) has no workflow",
      hint: "use one of: \(names.joined(separator: ", "))"
    )
  }

  private static func summary(
    of type: String,
    for company: UUID?,
    choices: WorkflowStore.Choices?,
    version: Int?,
    _ tx: Transaction
  ) throws -> WorkflowSummary {
    let versions = try WorkflowStore.versions(of: type, for: company, tx)
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

  /// Returns a version of a workflow.
  ///
  /// - Parameter versions: the versions that the company may follow.
  /// - Throws: `not_found` with the installed versions as a hint.
  static func definition(
    of type: String,
    version: Int,
    _ versions: [Int],
    _ tx: Transaction
  ) throws -> WorkflowDefinition {
    // The numbers of other companies' versions are not among these.
    guard versions.contains(version),
      let definition = try WorkflowStore.definition(of: type, version: version, tx)
    else {
      throw DomainError(
        .notFound,
        "there is no version \(version) of the workflow \(type)",
        hint: "use one of: \(versions.map(String.init).joined(separator: ", "))"
      )
    }
    return definition
  }
}
