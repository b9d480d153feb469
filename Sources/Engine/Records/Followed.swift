internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Synchronization

/// The workflows that a company follows, where they differ from the ones first installed, with its overlays.
struct Followed: Sendable {
  /// The revision of these choices. When the company has another one, they are out of date.
  let revision: Int64
  private let workflows: [String: Workflow]

  /// A workflow as a company follows it.
  struct Workflow: Sendable {
    /// The version that records follow.
    let current: WorkflowDefinition
    /// The version that already moved records follow; nil when no activation is under way.
    let next: WorkflowDefinition?
  }

  /// A company without choices.
  static let unchosen = Followed(revision: 0, workflows: [:])

  init(revision: Int64, workflows: [String: Workflow]) {
    self.revision = revision
    self.workflows = workflows
  }

  /// The workflow of a type; nil where it is the one first installed.
  subscript(type: String) -> Workflow? { workflows[type] }
}

/// A cache of the companies' choices. Every command compares revisions before it uses an entry.
///
/// A company without choices takes no room here and costs no query.
final class FollowedMemory: Sendable {
  private struct State {
    var companies: [UUID: Followed] = [:]
    var definitions: [Version: WorkflowDefinition] = [:]
  }

  private struct Version: Hashable {
    let type: String
    let number: Int
  }

  /// The capacity. When it is exceeded the cache is emptied, which costs each company one query.
  private static let most = 10_000

  private let state = Mutex(State())

  /// The cached choices of a company.
  func followed(by company: UUID) -> Followed {
    state.withLock { $0.companies[company] } ?? .unchosen
  }

  /// Reads a company's choices and caches them.
  func load(_ company: UUID, _ catalogue: TypeCatalogue, _ tx: Transaction) throws -> Followed {
    let choices = try WorkflowStore.choices(company: company, tx)
    var workflows: [String: Followed.Workflow] = [:]
    for type in Set(choices.versions.keys).union(choices.overlays.keys) {
      guard let first = catalogue.types.first(where: { $0.name == type })?.workflow else { continue }
      let choice = choices.versions[type] ?? WorkflowStore.Choice(version: first.version)
      let overlays = choices.overlays[type] ?? []
      guard let current = try definition(type, choice.version, first, overlays, tx) else { continue }
      let next = try choice.next.flatMap { try definition(type, $0, first, overlays, tx) }
      workflows[type] = Followed.Workflow(current: current, next: next)
    }
    let followed = Followed(revision: choices.revision, workflows: workflows)
    state.withLock { state in
      if state.companies.count >= Self.most { state.companies = [:] }
      // Another command may have read a newer revision and stored it first.
      if followed.revision >= state.companies[company]?.revision ?? 0 { state.companies[company] = followed }
    }
    return followed
  }

  private func definition(
    _ type: String,
    _ number: Int,
    _ first: WorkflowDefinition,
    _ overlays: [WorkflowOverlay],
    _ tx: Transaction
  ) throws -> WorkflowDefinition? {
    var found: WorkflowDefinition? = number == first.version ? first : nil
    let version = Version(type: type, number: number)
    if found == nil { found = state.withLock { $0.definitions[version] } }
    if found == nil {
      found = try WorkflowStore.definition(of: type, version: number, tx)
      if let found { state.withLock { $0.definitions[version] = found } }  // definitions never change
    }
    return found.map { definition in
      overlays.first { $0.version == number }.map(definition.tightened(by:)) ?? definition
    }
  }
}
