internal import Domain
internal import FoundationEssentials
internal import Store

/// Prepares changes: what each asks, and the waves in which they are decided.
///
/// Facts about types and transitions are computed once for all changes.
struct ChangePreparation {
  /// The facts about one transition of a type.
  private struct Transition {
    let needs: TransitionNeeds
    let readsBeyondRow: Bool
    let readsView: Bool

    init(_ needs: TransitionNeeds, _ type: RecordType) {
      self.needs = needs
      readsBeyondRow = !type.canAnswerInRow(needs.guards)
      // Follow-ups may copy any column.
      readsView = needs.isSingular || !needs.guards.isEmpty || !type.holds(needs.columns)
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
    /// The types whose records a deletion may delete too, or whose records can prevent it; the same for a restoration.
    let reaches: Set<String>
    /// The used transitions by name.
    var transitions: [String: Transition] = [:]
  }

  private let records: Records
  private let acting: ActingContext
  private var facts: [String: Facts] = [:]
  private var changes: [RecordChange] = []
  private var footprints: [ChangeFootprint] = []
  /// The revision of the company's workflows under which the changes are prepared.
  let revision: Int64

  init(_ records: Records, _ acting: ActingContext, _ requests: [ChangeRequest]) throws {
    self.records = records
    self.acting = acting
    let catalogue = records.catalogue
    let reach = DeletionReach(catalogue, company: acting.company.id)
    let followed = records.followed.followed(by: acting.company.id)
    revision = followed.revision
    for name in Set(requests.map(\.operation.subject.type)) {
      guard let known = catalogue.types.first(where: { $0.name == name }) else { continue }
      let type = known.following(followed)
      facts[name] = facts(of: type, reaches: reach.reached(from: type))
    }
    changes.reserveCapacity(requests.count)
    footprints.reserveCapacity(requests.count)
    for request in requests { try add(request) }
  }

  /// Prepares a change that is no part of a wave: a creation, an edit or a transition.
  ///
  /// - Parameter type: the type, under the workflow that the company follows.
  static func alone(_ request: ChangeRequest, _ type: RecordType, _ records: Records, _ acting: ActingContext)
    throws -> RecordChange
  {
    var preparation = try ChangePreparation(records, acting, [])
    preparation.facts[type.name] = preparation.facts(of: type, reaches: [])
    return try preparation.change(request)
  }

  /// The changes wave by wave.
  var waves: [[RecordChange]] { ChangeWaves.plan(footprints).map { wave in wave.map { changes[$0] } } }

  private func facts(of type: RecordType, reaches: Set<String>) -> Facts {
    let rule = records.rules[type.name]
    return Facts(
      type: type,
      editsReadBeyondRow: !type.canAnswerInRow(RecordEdit.conditions(of: type)),
      rule: rule,
      rulesReadView: rule.map { $0.reads.map { !type.holds($0) } ?? true } ?? false,
      reaches: reaches
    )
  }

  private mutating func change(_ request: ChangeRequest) throws -> RecordChange {
    let operation = request.operation
    var way: RecordChange.Way
    do {
      way = try self.way(of: request)
    } catch let error as DomainError {
      way = .refused(error)
    }
    let facts = facts[operation.subject.type]
    return RecordChange(request: request, type: facts?.type, way: way, readsView: readsView(operation, facts))
  }

  private mutating func add(_ request: ChangeRequest) throws {
    let operation = request.operation
    let change = try change(request)
    let facts = facts[operation.subject.type]
    let (parents, locksParents) = change.parents(records)
    changes.append(change)
    footprints.append(
      ChangeFootprint(
        target: change.key,
        isCreation: change.isCreation,
        isAlone: change.isAlone,
        parents: parents.map { ChangeKey($0.type.name, $0.id) },
        locksParents: locksParents,
        hasRule: facts?.rule != nil,
        dependsOn: facts?.rule?.dependsOn ?? [],
        readsBeyondRow: readsBeyondRow(operation, facts),
        reaches: operation.reachesOthers ? facts?.reaches ?? [] : []
      )
    )
  }

  private mutating func way(of request: ChangeRequest) throws -> RecordChange.Way {
    let operation = request.operation
    let (name, id) = operation.subject
    let type = try facts[name]?.type ?? records.catalogue.type(name)
    switch operation {
    case .create(_, _, let fields):
      let kind = request.isImported ? HistoryEntry.Kind.import : .create
      return .creation(try RecordCreation(records, acting, type, id: id, fields: fields, kind: kind))
    case .update(_, _, let fields, _):
      return .edit(try RecordEdit(records, acting, type, id: id, fields: fields))
    case .transition(_, _, let request):
      guard type.workflow != nil else {
        throw DomainError(.unknownTransition, "\(type.name) has no workflow")
      }
      return .transition(request, needs(of: request, type))
    case .delete, .restore, .attach: return .other
    }
  }

  private mutating func needs(of request: TransitionRequest, _ type: RecordType) -> TransitionNeeds {
    if let known = facts[type.name]?.transitions[request.transition] { return known.needs }
    let needs = TransitionNeeds(of: request, type: type, hasRule: records.rules[type.name] != nil)
    facts[type.name]?.transitions[request.transition] = Transition(needs, type)
    return needs
  }

  private func readsView(_ operation: RecordOperation, _ facts: Facts?) -> Bool {
    switch operation {
    case .update: facts.map { $0.rulesReadView || $0.editsReadBeyondRow } ?? false
    case .transition(_, _, let request): facts?.transitions[request.transition]?.readsView ?? false
    case .create, .delete, .restore, .attach: false
    }
  }

  private func readsBeyondRow(_ operation: RecordOperation, _ facts: Facts?) -> Bool {
    switch operation {
    case .update: facts?.editsReadBeyondRow ?? false
    case .transition(_, _, let request): facts?.transitions[request.transition]?.readsBeyondRow ?? false
    case .create, .delete, .restore, .attach: false
    }
  }
}
