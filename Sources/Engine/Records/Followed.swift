internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Synchronization

/// The workflow versions and overlays that a company has chosen instead of the first installed versions.
struct Followed: Sendable {
  /// The revision of these choices. They are out of date if the database has another revision.
  let revision: Int64
  private let workflows: [String: Workflow]

  /// A workflow as the company follows it.
  struct Workflow: Sendable {
    /// The version that the company's records follow, with the company's overlay.
    let current: WorkflowDefinition
    /// The version that an activation under way has already moved some records to; nil if none is under way.
    let next: WorkflowDefinition?
    private let types = FollowedType()

    init(current: WorkflowDefinition, next: WorkflowDefinition?) {
      self.current = current
      self.next = next
    }

    /// Returns a type under ``current``.
    func type(_ type: RecordType) -> RecordType { types.following(current, type) }
  }

  /// A company without choices.
  static let unchosen = Followed(revision: 0, workflows: [:])

  init(revision: Int64, workflows: [String: Workflow]) {
    self.revision = revision
    self.workflows = workflows
  }

  /// Returns the chosen workflow of a type; nil if the company follows the first installed version.
  subscript(type: String) -> Workflow? { workflows[type] }
}

/// A type under a chosen workflow. It is made once for each catalogue, because every command needs it and it has lists of
/// columns.
private final class FollowedType: Sendable {
  private let made = Mutex<(base: RecordType, type: RecordType)?>(nil)

  func following(_ workflow: WorkflowDefinition, _ base: RecordType) -> RecordType {
    made.withLock { made in
      if let made, made.base === base { return made.type }
      let type = base.following(workflow)
      made = (base, type)
      return type
    }
  }
}

/// Caches the choices of companies. Every command compares revisions before it uses an entry.
///
/// A company without choices needs no entry and no query.
final class FollowedMemory: Sendable {
  private struct State {
    var companies: [UUID: Followed] = [:]
    var definitions: [Version: WorkflowDefinition] = [:]
  }

  private struct Version: Hashable {
    let type: String
    let number: Int
  }

  /// The maximum number of cached companies. At this number the cache is emptied, which costs each company
  /// one query.
  private static let most = 10_000

  private let state = Mutex(State())

  /// Returns the cached choices of a company; ``Followed/unchosen`` if there are none.
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
      // A concurrent command may have cached a newer revision.
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
