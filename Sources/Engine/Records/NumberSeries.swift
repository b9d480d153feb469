package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The use cases of a company's record numbers.
package struct NumberSeries: Sendable {
  /// The numbers of one record type.
  package struct Row: Sendable {
    package let type: String
    /// The format of new numbers.
    package let format: NumberFormat
    /// True if the company set the format itself.
    package let isOwn: Bool
    /// The number of the next record, unless an import has reserved a later block.
    package let next: String
  }

  private let services: Services
  private let catalogue: TypeCatalogue

  package init(_ services: Services, _ records: Records) {
    self.services = services
    catalogue = records.catalogue
  }

  /// Returns the types that have numbers, with their formats. Requires `company.read`.
  package func list(_ acting: ActingContext) async throws -> [Row] {
    let company = acting.company.id
    let numbered = catalogue.types.filter { $0.definition.number != nil }
    return try await CompanyAdministration(services).read(acting, permission: "company.read") { tx, _ in
      try numbered.compactMap { type -> Row? in
        guard let rule = type.definition.number else { return nil }
        let own: String? = try tx.first(NumberStore.ownFormat(type, company: company), String?.self) ?? nil
        let highest = try tx.value(NumberStore.highest(type, company: company), as: Int64.self)
        let format = try own.map { try NumberFormat($0) } ?? rule.format
        return Row(
          type: type.name,
          format: format,
          isOwn: own != nil,
          next: format.number(max(highest + 1, rule.start))
        )
      }
    }
  }

  /// Sets the format or the counter of later numbers; existing numbers stay. Requires `company.update`.
  ///
  /// - Parameters:
  ///   - format: the new format; nil keeps the current one.
  ///   - next: the counter of the next number, up to 1,000,000,000,000; nil keeps the counter. Counters
  ///     only grow.
  /// - Throws: `invalid_input` for a type without numbers, for a counter that is not above the highest
  ///   number, and for one above the maximum; `missing_fields` if both parameters are nil.
  package func set(_ acting: ActingContext, type name: String, format: NumberFormat?, next: Int64?)
    async throws
  {
    let type = try catalogue.type(name)
    guard type.definition.number != nil else {
      throw DomainError(.invalidInput, "\(type.definition.plural.lowercased()) have no numbers")
    }
    guard format != nil || next != nil else {
      throw DomainError(.missingFields, "no change was given", hint: "give --format or --next")
    }
    let company = acting.company.id
    try await CompanyAdministration(services).administer(acting, permission: "company.update") { tx, _ in
      if let next {
        let highest = try tx.value(NumberStore.highest(type, company: company), as: Int64.self)
        guard next <= 1_000_000_000_000 else {
          throw DomainError(.invalidInput, "\(next) is above 1000000000000, the highest possible number")
        }
        guard next > highest else {
          throw DomainError(
            .invalidInput,
            "\(next) is not above \(highest), the highest number so far",
            hint: "give \(highest + 1) or more; numbers only grow"
          )
        }
      }
      try tx.execute(NumberStore.set(type, format: format, reserved: next.map { $0 - 1 }, company: company))
      var detail: JSONObject = [:]
      if let format { detail["format"] = .string(format.text) }
      if let next { detail["next"] = .integer(next) }
      let entry = AuditEntry(
        action: "company.numbers_set",
        subjectType: "record_type",
        subjectID: type.name,
        detail: JSON(detail)
      )
      return ((), [entry])
    }
  }
}
