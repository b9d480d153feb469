internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// What the address of a list asks for: search, filters, order and page.
struct ListQuery: Sendable {
  /// The records of a page.
  static let length = 50

  let type: RecordType
  /// The parameters that choose records, in order, without order and page.
  let filters: [(name: String, value: String)]
  /// The text to search; nil for none.
  let search: String?
  /// The order; nil for that of the type.
  let sort: String?
  let after: String?

  init(_ request: APIRequest, _ type: RecordType) { self.init(request.query, type) }

  /// - Parameter pairs: the parameters of the address.
  init(_ pairs: [(name: String, value: String)], _ type: RecordType) {
    self.type = type
    // A form sends its empty fields too.
    let given = pairs.filter { !$0.value.isEmpty }
    let columns = Set(type.shownColumns.map(\.name))
    filters = given.filter { $0.name == "where" || columns.contains($0.name) }
    search = given.first { $0.name == "q" }?.value
    sort = given.first { $0.name == "sort" }?.value
    after = given.first { $0.name == "after" }?.value
  }

  /// The order in effect.
  var order: String? { sort ?? type.definition.command?.sort }

  /// Returns the query for records. Of a filter whose value names nothing, it also returns the error; no record matches it.
  ///
  /// - Throws: the errors of a filter or an order that the type does not have.
  func query(_ records: Records, _ acting: ActingContext) async throws -> (RecordQuery, unknown: DomainError?)
  {
    var pairs = filters
    if let search { pairs.append(("q", search)) }
    if let order { pairs.append(("sort", order)) }
    if let after { pairs.append(("after", after)) }
    var query = try QueryReader(columns: type.shownColumns.map(\.name), defaultLimit: Self.length).read(pairs)
      .query
    var unknown: DomainError?
    for (index, condition) in query.conditions.enumerated() {
      do {
        query.conditions[index] = try await records.resolvingNames(in: condition, type: type.name, acting)
      } catch let error as DomainError where error.category == .notFound || error.category == .invalid {
        unknown = error
        query.conditions[index] = RecordCondition("id", .isNull, [])
      }
    }
    return (query, unknown)
  }

  /// The parameters of an address with the same records.
  func parameters(sort: String? = nil, after: String? = nil, without dropped: String? = nil)
    -> [(name: String, value: String)]
  {
    var pairs = filters.filter { $0.name != dropped }
    if let search, dropped != "q" { pairs.append(("q", search)) }
    if let sort = sort ?? self.sort { pairs.append(("sort", sort)) }
    if let after { pairs.append(("after", after)) }
    return pairs
  }

  /// The value of a filter for a column; nil without one.
  func value(_ column: String) -> String? { filters.first { $0.name == column }?.value }
}
