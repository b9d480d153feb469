internal import FoundationEssentials
internal import Postgres

/// The jobs of one company, queue, kind and priority, in the order in which they are claimed.
struct Lane: RowDecodable, Hashable, Sendable {
  let company: UUID
  let id: UUID
  let queue: String
  let kind: String
  let priority: Int

  init(company: UUID, id: UUID, queue: String, kind: String, priority: Int) {
    self.company = company
    self.id = id
    self.queue = queue
    self.kind = kind
    self.priority = priority
  }

  init(row: inout RowReader) throws(PostgresError) {
    company = try row.next()
    id = try row.next()
    queue = try row.next()
    kind = try row.next()
    priority = Int(try row.next() as Int16)
  }
}

/// Whose turn it is: the lanes that may have jobs, urgent ones first, and within a priority company by company.
///
/// Fair because a company's turn comes around after one turn of each other company, however many jobs or kinds of
/// jobs it has. A value without a clock or a database, so that its rules can be tested for themselves.
struct LaneWalk: Sendable {
  /// The lanes of one company, the next one first.
  private struct Company: Sendable {
    let id: UUID
    var lanes: [Lane]
  }

  /// By priority; within one, the company whose turn is next comes first.
  private var turns: [Int: [Company]] = [:]
  private var known: Set<Lane> = []

  /// Whether no lane may have jobs.
  var isEmpty: Bool { known.isEmpty }

  /// Adds lanes that have got jobs: a new company behind the others, a new lane behind its company's.
  mutating func add(_ lanes: some Sequence<Lane>) {
    for lane in lanes where known.insert(lane).inserted {
      var companies = turns[lane.priority] ?? []
      if let place = companies.firstIndex(where: { $0.id == lane.company }) {
        companies[place].lanes.append(lane)
      } else {
        companies.append(Company(id: lane.company, lanes: [lane]))
      }
      turns[lane.priority] = companies
    }
  }

  /// Forgets a lane that is empty.
  mutating func remove(_ lane: Lane) {
    guard known.remove(lane) != nil, var companies = turns[lane.priority],
      let place = companies.firstIndex(where: { $0.id == lane.company })
    else { return }
    companies[place].lanes.removeAll { $0 == lane }
    if companies[place].lanes.isEmpty { companies.remove(at: place) }
    turns[lane.priority] = companies.isEmpty ? nil : companies
  }

  /// The next lanes to be claimed from, of the most urgent priority that has any, each company's once; those chosen
  /// go to the end.
  mutating func next(_ count: Int) -> [Lane] {
    guard let priority = turns.keys.min(), let companies = turns[priority] else { return [] }
    let chosen = companies.prefix(count)
    let moved = chosen.map { company in
      Company(id: company.id, lanes: Array(company.lanes.dropFirst()) + company.lanes.prefix(1))
    }
    turns[priority] = Array(companies.dropFirst(chosen.count)) + moved
    return chosen.compactMap(\.lanes.first)
  }
}
