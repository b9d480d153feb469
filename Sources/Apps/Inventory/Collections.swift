package import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A named filter of items: built in, one per category and location, or saved by a member.
package struct ItemCollection: Sendable {
  /// The origin of the collection.
  package enum Kind: String, Sendable {
    case builtIn = "built-in"
    case category, location, saved
  }

  /// The name used by commands: `expiring`, `category:tools`, or the name of a saved filter.
  package let name: String
  package let kind: Kind
  /// The value that each column of an item must have, as in a list request.
  package let filter: JSONObject
  /// The current number of items.
  package let count: Int
}

/// The collections of a household.
package struct Collections: Sendable {
  /// The name and the filter of each built-in collection.
  package static let builtIn: [(name: String, filter: JSONObject)] = [
    ("expiring", ["warranty_status": "expiring"]),
    ("expired", ["warranty_status": "expired"]),
    ("high-value", ["is_high_value": "true"]),
    ("no-receipt", ["has_receipt": "false"]),
    ("favourites", ["is_favorite": "true"]),
  ]

  private let services: Services
  private let records: Records
  private let administration: CompanyAdministration

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
    administration = CompanyAdministration(services)
  }

  /// Returns the built-in collections, then those of categories, locations and saved filters, each with its
  /// number of items.
  ///
  /// Requires the permissions to read items and collections. A saved filter counts at most 100,000 items.
  package func list(_ acting: ActingContext) async throws -> [ItemCollection] {
    let company = acting.company.id
    let counts = try await administration.read(acting, permission: "inventory.item.read") { tx, _ in
      let tickets = try tx.pipeline { pipeline in
        (
          fixed: pipeline.rows(Self.builtInCounts(company: company), [Int].self),
          categories: pipeline.rows(
            """
            select i.category_key, count(*)::integer from inventory.item i
            where i.company_id = \(company) and i.deleted_at is null
            group by i.category_key order by i.category_key
            """,
            String.self,
            Int.self
          ),
          locations: pipeline.rows(
            """
            select i.location, count(*)::integer from inventory.item i
            where i.company_id = \(company) and i.deleted_at is null and i.location is not null
            group by i.location order by i.location
            """,
            String.self,
            Int.self
          )
        )
      }
      return (
        fixed: try tickets.fixed.first ?? [],
        categories: try tickets.categories.all,
        locations: try tickets.locations.all
      )
    }
    var found = zip(Self.builtIn, counts.fixed).map {
      ItemCollection(name: $0.name, kind: .builtIn, filter: $0.filter, count: $1)
    }
    found += counts.categories.map { key, count in
      ItemCollection(
        name: "category:\(key)",
        kind: .category,
        filter: ["category_key": .string(key)],
        count: count
      )
    }
    found += counts.locations.map { place, count in
      ItemCollection(
        name: "location:\(place)",
        kind: .location,
        filter: ["location": .string(place)],
        count: count
      )
    }
    for (name, filter) in try await saved(acting) {
      let items = try await records.list(acting, type: "inventory.item", CollectionFilter.query(filter))
      found.append(ItemCollection(name: name, kind: .saved, filter: filter, count: items.count))
    }
    return found
  }

  /// Returns the list request of a collection.
  ///
  /// A category or location need not exist. Names ignore case, except the name of a location.
  ///
  /// - Parameter name: such as `expiring`, `category:tools`, `location:Garage`, or the name of a saved
  ///   filter.
  /// - Throws: `not_found` for any other name; the hint has the closest one.
  package func query(_ acting: ActingContext, _ name: String) async throws -> RecordQuery {
    let key = name.lowercased()
    if let found = Self.builtIn.first(where: { $0.name == key }) {
      return CollectionFilter.query(found.filter)
    }
    for (prefix, column) in [("category:", "category_key"), ("location:", "location")] {
      guard key.hasPrefix(prefix) else { continue }
      let value = String(name.dropFirst(prefix.count)).trimmingSpaces()
      return CollectionFilter.query([column: .string(column == "location" ? value : value.lowercased())])
    }
    let saved = try await saved(acting)
    if let found = saved.first(where: { $0.name.lowercased() == key }) {
      return CollectionFilter.query(found.filter)
    }
    let names = Self.builtIn.map(\.name) + saved.map(\.name)
    throw DomainError(
      .notFound,
      "there is no collection \(Quoted(name))",
      hint: Suggestion.closest(to: name, among: names).map { "did you mean \($0)?" }
        ?? "list them with `fettle collection list`"
    )
  }

  /// Saves a filter under a name.
  ///
  /// - Parameter pairs: the conditions, each in the form `column=value`.
  /// - Throws: `already_exists` for the name of a built-in collection or a name with a colon; `invalid_input`
  ///   without a condition or for an invalid one; `unknown_fields` for a column that items do not have.
  package func save(_ acting: ActingContext, name: String, pairs: [String]) async throws -> RecordAnswer {
    guard !Self.builtIn.contains(where: { $0.name == name.lowercased() }), !name.contains(":") else {
      throw DomainError(
        .alreadyExists,
        "the collection name \(Quoted(name)) is reserved",
        hint: "choose another name, without a colon"
      )
    }
    let filter = try CollectionFilter.reading(pairs)
    guard !filter.isEmpty else {
      throw DomainError(.invalidInput, "a collection needs a filter", hint: "add --filter location=Garage")
    }
    return try await records.create(
      acting,
      type: "inventory.saved_collection",
      fields: ["name": .string(name), "filter": .object(filter)]
    )
  }

  private func saved(_ acting: ActingContext) async throws -> [(name: String, filter: JSONObject)] {
    var query = RecordQuery()
    query.sort = "name"
    query.limit = 10_000
    return try await records.list(acting, type: "inventory.saved_collection", query).compactMap { document in
      guard let name = document["name"]?.string, let filter = document["filter"]?.object else { return nil }
      return (name, filter)
    }
  }

  /// Returns the query for the number of items of each built-in collection, in the order of ``builtIn``.
  private static func builtInCounts(company: UUID) -> SQL {
    """
    select array[
      count(*) filter (where v.warranty_status = 'expiring'), count(*) filter (where v.warranty_status = 'expired'),
      count(*) filter (where v.is_high_value), count(*) filter (where not v.has_receipt),
      count(*) filter (where v.is_favorite)
    ]
    from inventory.v_item v
    where v.company_id = \(company)
    """
  }
}
