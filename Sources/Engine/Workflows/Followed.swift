internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Synchronization

/// The workflows a company follows where they are not the ones first installed, as they are with its overlays.
struct Followed: Sendable {
  /// The company's number of these choices; when it has another one by now, they are out of date.
  let revision: Int64
  private let workflows: [String: Workflow]

  /// A workflow as it is followed.
  struct Workflow: Sendable {
    /// What records follow.
    let current: WorkflowDefinition
    /// What those follow that have been moved to the next version already; nil when the company is not moving.
    let next: WorkflowDefinition?
  }

  /// A company that has chosen nothing.
  static let unchosen = Followed(revision: 0, workflows: [:])

  init(revision: Int64, workflows: [String: Workflow]) {
    self.revision = revision
    self.workflows = workflows
  }

  /// The workflow of a type; nil where it is the one first installed.
  subscript(type: String) -> Workflow? { workflows[type] }
}

/// What this process knows of the choices of companies; every command compares numbers before it believes it.
///
/// A company that chose nothing takes no room here and costs no question.
final class FollowedMemory: Sendable {
  private struct State {
    var companies: [UUID: Followed] = [:]
    var definitions: [Version: WorkflowDefinition] = [:]
  }

  private struct Version: Hashable {
    let type: String
    let number: Int
  }

  /// So many companies are remembered; then it begins anew, which costs each one question.
  private static let most = 10_000

  private let state = Mutex(State())

  /// What is known of a company.
  func followed(by company: UUID) -> Followed {
    state.withLock { $0.companies[company] } ?? .unchosen
  }

  /// Reads a company's choices and remembers them.
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
      // Another command may have read later and stored sooner.
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
