internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The records that the lines of an import refer to. Each name is looked up once, and missing records are
/// created if the plan allows it.
struct ImportReferences: Sendable {
  let records: Records
  let type: RecordType
  let plan: ImportPlan
  let targets: [ImportMapping.Target]
  /// The names that fill the last targets in every line.
  let constants: [String]
  /// The positions of the targets that the file names twice.
  let echoed: Set<Int>
  let named: [[String: NameUse]]
  /// The names in the form in which PostgreSQL compares them, by the names as written: what a letter is in lower case
  /// depends on the locale of the database.
  private var forms: [String: String] = [:]
  /// The records of each target, by folded name. If keys are unique only within a parent, the map has
  /// only the records without a parent, because a file does not name the parent.
  private var found: [[String: UUID]] = []
  /// The refusals of names, by target and folded name: of deleted records, of names that several records have, and of
  /// records that could not be created.
  private var refusals: [[String: DomainError]] = []
  /// The names of records that lines refer to by id, where the file has the names beside the ids.
  private var names: [Int: [UUID: String]] = [:]

  init(
    records: Records,
    type: RecordType,
    plan: ImportPlan,
    targets: [ImportMapping.Target],
    constants: [String],
    echoed: Set<Int>,
    named: [[String: NameUse]]
  ) {
    self.records = records
    self.type = type
    self.plan = plan
    self.targets = targets
    self.constants = constants
    self.echoed = echoed
    self.named = named
  }

  /// Looks up the records and creates missing ones.
  mutating func resolve(
    _ acting: ActingContext,
    _ access: Access,
    isCareful: Bool,
    _ work: inout Work,
    _ outcome: inout ImportOutcome
  )
    throws
  {
    found = targets.map { _ in [:] }
    refusals = targets.map { _ in [:] }
    try foldNames(work)
    let rights = try Rights(acting, access)
    for (index, target) in targets.enumerated() {
      guard case .reference(let reference, _) = target else { continue }
      try findIDs(reference, at: index, work)
      if echoed.contains(index) { try findNames(reference, at: index, work) }
      guard !reference.target.hasPrefix("core.") else {
        if reference.target == "core.membership" { try findMembers(at: index, work) }
        continue
      }
      let other = try records.catalogue.type(reference.target)
      guard let key = other.definition.key.last else { continue }
      let names = Set(named[index].keys.filter { UUID(text: $0) == nil })
      try find(names, of: other, key: key, at: index, acting, work)
      let ambiguous = Set(refusals[index].keys)
      try lock(other, at: index, rights, work)
      guard plan.createsMissing else { continue }
      var seen = ambiguous
      let missing = names.sorted().filter {
        found[index][folded($0)] == nil && seen.insert(folded($0)).inserted
      }
      try make(missing, of: other, key: key, at: index, acting, access, isCareful: isCareful, &work, &outcome)
    }
    // Told once, and not of every line.
    for (index, name) in zip(targets.indices.suffix(constants.count), constants) where !named[index].isEmpty {
      _ = try id(name, at: index)
    }
  }

  private mutating func foldNames(_ work: Work) throws {
    let names = Set(named.flatMap(\.keys))
    guard !names.isEmpty else { return }
    let rows = try work.transaction.rows(
      "select n.name, \(RecordName.folded("n.name")) from unnest(\(Array(names))) n (name)",
      String.self,
      String.self
    )
    forms = Dictionary(rows) { first, _ in first }
  }

  /// Locks the found records against deletion until the records that refer to them are written, as a single creation
  /// does. Names of deleted records are refused, and those of records to which the actor may not refer.
  private mutating func lock(_ other: RecordType, at index: Int, _ rights: Rights, _ work: Work) throws {
    guard !found[index].isEmpty else { return }
    let ids = Array(found[index].values).inLockOrder
    let rows = try work.transaction.rows(
      other.lockAsParents(
        company: work.context.company,
        each: ids,
        owners: other.ownerColumns,
        user: rights.user
      ),
      UUID.self,
      Bool.self,
      Bool.self
    )
    if !rights.mayRefer(to: other) {
      let own = Set(rows.filter(\.2).map(\.0))
      for (name, id) in found[index] where !own.contains(id) {
        found[index][name] = nil
        refusals[index][name] = DomainError(
          .notFound,
          "there is no \(other.definition.label.lowercased()) \(Quoted(name))"
        )
      }
    }
    let dead = Set(rows.filter { !$0.1 }.map(\.0))
    for (name, id) in found[index] where dead.contains(id) {
      found[index][name] = nil
      do {
        try Parent(type: other, id: id).require(false)
      } catch let error as DomainError {
        refusals[index][name] = error
      }
    }
  }

  /// Looks up records, members or attachments by id.
  private mutating func findIDs(_ reference: RecordReference, at index: Int, _ work: Work) throws {
    let ids = named[index].keys.compactMap(UUID.init(text:))
    guard !ids.isEmpty else { return }
    let company = work.context.company
    let statement: SQL =
      switch reference.target {
      case "core.membership":
        """
        select m.user_id from core.membership m
        where m.company_id = \(company) and m.user_id = any (\(ids)) and m.status <> 'removed'
        """
      case "core.attachment":
        "select a.id from core.attachment a where a.company_id = \(company) and a.id = any (\(ids))"
      default: try records.catalogue.type(reference.target).existing(company: company, among: ids)
      }
    for id in try work.transaction.rows(statement, UUID.self) { found[index][id.text] = id }
  }

  /// Looks up what records that are named by id are called.
  private mutating func findNames(_ reference: RecordReference, at index: Int, _ work: Work) throws {
    let ids = named[index].keys.compactMap(UUID.init(text:))
    let company = work.context.company
    let statement: SQL
    if reference.target == "core.membership" {
      statement = """
        select m.user_id, u.name from core.membership m
        join core.app_user u on u.id = m.user_id
        where m.company_id = \(company) and m.user_id = any (\(ids))
        """
    } else {
      let other = try records.catalogue.type(reference.target)
      guard let key = other.definition.key.last else { return }
      statement = """
        select t.id, coalesce(t.\(identifier: key)::text, '') from \(other.table) t
        where t.company_id = \(company) and t.id = any (\(ids))
        """
    }
    names[index] = Dictionary(try work.transaction.rows(statement, UUID.self, String.self)) { first, _ in
      first
    }
  }

  /// Requires that the two columns that say a reference agree.
  ///
  /// - Parameters:
  ///   - cell: the text of the reference; nil if empty.
  ///   - echo: the text under the other heading.
  /// - Throws: `invalid_input`.
  func require(_ cell: String?, is echo: String, under heading: String, at index: Int) throws(DomainError) {
    let name = cell.map { cell in UUID(text: cell).map { names[index]?[$0] ?? "" } ?? cell } ?? ""
    guard Self.fold(name) != Self.fold(echo) else { return }
    let column = targets[index].column.name
    throw DomainError(
      .invalidInput,
      "\(heading): \(Quoted(echo)) is another than \(Quoted(name)), which \(column) says",
      hint: "write it in \(column) too, or leave out one of the columns"
    )
  }

  private mutating func findMembers(at index: Int, _ work: Work) throws {
    let names = named[index].keys.filter { UUID(text: $0) == nil }
    guard !names.isEmpty else { return }
    let members = try ImportMembers(names.map { (written: $0, folded: folded($0)) }, work)
    found[index].merge(members.found) { _, member in member }
    refusals[index].merge(members.refusals) { _, refusal in refusal }
  }

  /// Returns the id of the record or member named in a cell.
  ///
  /// - Throws: `not_found` with the closest name in the message, `parent_deleted`, or the refusal of a record that should
  ///   have been created.
  func id(_ name: String, at index: Int) throws -> UUID {
    if let id = found[index][folded(name)] { return id }
    if let refusal = refusals[index][folded(name)] { throw refusal }
    guard case .reference(let reference, _) = targets[index] else { throw DomainError(.internal) }
    let label =
      reference.target.hasPrefix("core.")
      ? reference.target.dropFirst("core.".count).description
      : try records.catalogue.type(reference.target).definition.label.lowercased()
    let closest = Suggestion.closest(to: name, among: found[index].keys.sorted())
    let way = try canMake(reference) ? "; --create-missing creates it" : ""
    throw DomainError(
      .notFound,
      "there is no \(label) \(Quoted(name))\(closest.map { ", did you mean \($0)?" } ?? way)"
    )
  }

  /// True if a record to which a column refers can be created from its name alone.
  private func canMake(_ reference: RecordReference) throws -> Bool {
    guard !reference.target.hasPrefix("core.") else { return false }
    let other = try records.catalogue.type(reference.target)
    guard let key = other.definition.key.last else { return false }
    let given = Set(fields("", of: other, key: key).keys).union(records.rules[other.name]?.fills ?? [])
    return other.isCreatedAsRecord && given.isSuperset(of: other.required)
  }

  private mutating func find(
    _ names: Set<String>,
    of other: RecordType,
    key: String,
    at index: Int,
    _ acting: ActingContext,
    _ work: Work
  ) throws {
    let scoped: SQL =
      other.definition.key.count > 1 ? "and t.\(identifier: other.definition.key[0]) is null" : ""
    let folds = Dictionary(names.sorted().map { (folded($0), $0) }) { first, _ in first }
    let column: SQL = RecordName.folded("t.\(identifier: key)::text")
    let rows = try work.transaction.rows(
      """
      select \(column), t.id from \(other.table) t
      where t.company_id = \(acting.company.id) and t.deleted_at is null \(scoped)
        and \(column) = any (\(Array(folds.keys)))
      order by t.id
      """,
      String.self,
      UUID.self
    )
    for (name, matches) in Dictionary(grouping: rows, by: \.0) {
      if matches.count == 1 {
        found[index][name] = matches[0].1
      } else {
        let label = other.definition.label.lowercased()
        refusals[index][name] = RecordName.ambiguous(folds[name] ?? name, label, matches.map(\.1))
      }
    }
    try findNumbers(names, of: other, at: index, work)
  }

  /// Looks up records by number. A record with an equal key takes precedence, because the file may come from
  /// another system.
  private mutating func findNumbers(
    _ names: Set<String>,
    of other: RecordType,
    at index: Int,
    _ work: Work
  ) throws {
    guard other.definition.number != nil else { return }
    let written = names.map { ($0.trimmingSpaces().uppercased(), folded($0)) }
    let folds = Dictionary(written) { first, _ in first }
    let numbers = Array(folds.keys)
    let rows = try work.transaction.rows(
      """
      select t.number, t.id from \(other.table) t
      where t.company_id = \(work.context.company) and t.deleted_at is null
        and t.number_seq = any (\(numbers.compactMap { NumberFormat.counter(in: $0) }))
        and t.number = any (\(numbers))
      """,
      String.self,
      UUID.self
    )
    for (number, id) in rows {
      guard let name = folds[number], refusals[index][name] == nil else { continue }
      found[index][name] = found[index][name] ?? id
    }
  }

  private mutating func make(
    _ names: [String],
    of other: RecordType,
    key: String,
    at index: Int,
    _ acting: ActingContext,
    _ access: Access,
    isCareful: Bool,
    _ work: inout Work,
    _ outcome: inout ImportOutcome
  ) throws {
    guard !names.isEmpty else { return }
    try RecordRules(other.definition, workflow: other.workflow)
      .requireCreate([:], by: try Rights(acting, access).kernel(acting, other))
    let requests = names.enumerated().map { place, name in
      let fields = fields(name, of: other, key: key)
      var request = ChangeRequest(
        no: Int64(place),
        operation: .create(type: other.name, id: work.newID(), fields: fields)
      )
      request.isImported = true
      return request
    }
    let outcomes = try records.applyEach(requests, isCareful: isCareful, acting, in: &work)
    let check = ShiftCheck(named[index], others: otherNames(than: index))
    for (name, request) in zip(names, requests) {
      if case .refused(let error, _)? = outcomes[request.no] {
        guard error.concernsLine else { throw error }
        refusals[index][folded(name)] = error
        continue
      }
      found[index][folded(name)] = request.operation.subject.id
      outcome.created[other.name, default: 0] += 1
      if let reason = check.reason(against: name), let line = named[index][name]?.line {
        outcome.shifted.append(ShiftedValue(type: other.name, name: name, line: line, reason: reason))
      }
    }
    // The batches refer to these records, so they are written first.
    try work.writeRowsNow()
  }

  /// Returns the fields of a new record. Required text columns that the file does not contain get its name.
  private func fields(_ name: String, of other: RecordType, key: String) -> JSONObject {
    var fields: JSONObject = [key: .string(name)]
    for column in other.columns
    where column.type == "text" && !column.isNullable && !column.hasDefault
      && other.definition.creatable.contains(column.name) && column.name != key
    {
      fields[column.name] = .string(name)
    }
    return fields
  }

  private func otherNames(than index: Int) -> [(column: String, names: [String: NameUse])] {
    targets.indices.filter { $0 != index && !named[$0].isEmpty }.map {
      (targets[$0].column.name, named[$0])
    }
  }

  /// Returns a name of the file in the form in which PostgreSQL compares it.
  private func folded(_ name: String) -> String { forms[name] ?? Self.fold(name) }

  private static func fold(_ name: String) -> String { name.trimmingSpaces().lowercased() }
}
