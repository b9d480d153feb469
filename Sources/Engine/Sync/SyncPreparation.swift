internal import Domain
internal import FoundationEssentials
internal import Store

/// Prepares the changes of a push: what each asks, and the waves in which they are decided.
///
/// Facts about types and transitions are computed once for all changes.
struct SyncPreparation {
  /// The facts about one transition of a type.
  private struct Transition {
    let needs: BulkNeeds
    let readsBeyondRow: Bool
    let readsView: Bool

    init(_ needs: BulkNeeds, _ type: RecordType) {
      self.needs = needs
      readsBeyondRow = !type.canAnswerInRow(needs.guards)
      readsView = !needs.guards.isEmpty || !type.holds(needs.columns)
    }
  }

  /// The facts about changes of one type.
  private struct Facts {
    let type: RecordType
    /// True if an edit depends on columns that the view computes.
    let editsReadBeyondRow: Bool
    /// The compiled rule; nil if there is none.
    let rule: RecordRule?
    /// True if the rule may read columns that the view computes.
    let rulesReadView: Bool
    /// The types whose records a deletion may delete too, or whose records can prevent it.
    let reaches: Set<String>
    /// The used transitions by name.
    var transitions: [String: Transition] = [:]
  }

  private let records: Records
  private let acting: ActingContext
  private let reach: DeletionReach
  private var facts: [String: Facts] = [:]
  private(set) var changes: [SyncChange] = []
  private var footprints: [SyncFootprint] = []
  /// The revision of the company's workflows under which the changes are prepared.
  let revision: Int64

  init(_ records: Records, _ acting: ActingContext, _ mutations: [SyncMutation]) throws {
    self.records = records
    self.acting = acting
    let catalogue = records.catalogue
    reach = DeletionReach(catalogue, company: acting.company.id)
    let followed = records.followed.followed(by: acting.company.id)
    revision = followed.revision
    for name in Set(mutations.map(\.type)) {
      guard let known = catalogue.types.first(where: { $0.name == name }) else { continue }
      facts[name] = facts(of: known.following(followed))
    }
    changes.reserveCapacity(mutations.count)
    footprints.reserveCapacity(mutations.count)
    for mutation in mutations { try add(mutation) }
  }

  /// The positions of the changes wave by wave.
  var waves: [[Int]] { SyncWaves.plan(footprints) }

  private func facts(of type: RecordType) -> Facts {
    let rule = records.rules[type.name]
    return Facts(
      type: type,
      editsReadBeyondRow: !type.canAnswerInRow(RecordEdit.conditions(of: type)),
      rule: rule,
      rulesReadView: rule.map { $0.reads.map { !type.holds($0) } ?? true } ?? false,
      reaches: reach.reached(from: type)
    )
  }

  private mutating func add(_ mutation: SyncMutation) throws {
    var way: SyncChange.Way
    do {
      way = try self.way(of: mutation)
    } catch let error as DomainError {
      way = .refused(error)
    }
    let facts = facts[mutation.type]
    let change = SyncChange(
      mutation: mutation,
      type: facts?.type,
      way: way,
      readsView: readsView(mutation, facts)
    )
    let (parents, locksParents) = change.parents(records)
    changes.append(change)
    footprints.append(
      SyncFootprint(
        target: SyncKey(mutation.type, mutation.record),
        isCreation: change.isCreation,
        isAlone: change.isAlone,
        parents: parents.map { SyncKey($0.type.name, $0.id) },
        locksParents: locksParents,
        hasRule: facts?.rule != nil,
        dependsOn: facts?.rule?.dependsOn ?? [],
        readsBeyondRow: readsBeyondRow(mutation, facts),
        reaches: mutation.operation.isDeletion ? facts?.reaches ?? [] : []
      )
    )
  }

  private mutating func way(of mutation: SyncMutation) throws -> SyncChange.Way {
    let type = try facts[mutation.type]?.type ?? records.catalogue.type(mutation.type)
    switch mutation.operation {
    case .create(let fields):
      let creation = try RecordCreation(records, acting, type, id: mutation.record, fields: fields)
      return creation.hooks.fires ? .alone : .creation(creation)
    case .patch(let fields, _):
      let edit = try RecordEdit(records, acting, type, id: mutation.record, fields: fields)
      return edit.hooks.fires ? .alone : .edit(edit)
    case .transition(let request):
      guard type.workflow != nil else {
        throw DomainError(.unknownTransition, "\(type.name) has no workflow")
      }
      let needs = needs(of: request, type)
      return needs.isSingular ? .alone : .transition(request, needs)
    case .delete, .attach: return .alone
    }
  }

  private mutating func needs(of request: TransitionRequest, _ type: RecordType) -> BulkNeeds {
    if let known = facts[type.name]?.transitions[request.transition] { return known.needs }
    let needs = BulkNeeds(of: request, type: type, hasRule: records.rules[type.name] != nil)
    facts[type.name]?.transitions[request.transition] = Transition(needs, type)
    return needs
  }

  private func readsView(_ mutation: SyncMutation, _ facts: Facts?) -> Bool {
    switch mutation.operation {
    case .patch: facts.map { $0.rulesReadView || $0.editsReadBeyondRow } ?? false
    case .transition(let request): facts?.transitions[request.transition]?.readsView ?? false
    case .create, .delete, .attach: false
    }
  }

  private func readsBeyondRow(_ mutation: SyncMutation, _ facts: Facts?) -> Bool {
    switch mutation.operation {
    case .patch: facts?.editsReadBeyondRow ?? false
    case .transition(let request): facts?.transitions[request.transition]?.readsBeyondRow ?? false
    case .create, .delete, .attach: false
    }
  }
}

extension SyncMutation.Operation {
  var isDeletion: Bool { if case .delete = self { true } else { false } }
}
