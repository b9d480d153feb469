internal import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// A record named in a command.
package struct NamedRecord: Sendable {
  /// The record type, as `app.type`.
  package let type: String
  /// The record's number, its key, its id or the beginning of its id.
  package let name: String
  /// True to search deleted records instead of live ones.
  package let isDeleted: Bool

  /// Creates the name of a record.
  package init(_ name: String, type: String, isDeleted: Bool = false) {
    self.type = type
    self.name = name
    self.isDeleted = isDeleted
  }
}

/// An acting context and the data read with it in one round trip.
package struct Opening: Sendable {
  /// The acting context: the actor in a company.
  package let acting: ActingContext
  /// The actor's rights when the context was opened. A command that writes reads them again in its own
  /// transaction (rule R8).
  package let rights: Rights
  /// The use cases of records, with the current catalogue.
  package let records: Records
  /// The id of the named record; nil if none was named.
  package let record: UUID?
}

extension ActingContexts {
  /// Opens an acting context: reads the company, the member, their rights, the catalogue version and the id
  /// of a named record in one round trip.
  ///
  /// A process that has not read the catalogue yet reads it in the same round trip. It then needs a second
  /// one to find a record by name.
  ///
  /// - Parameters:
  ///   - slug: the company's slug.
  ///   - operatorName: the operator's name in the operating system.
  ///   - handle: the member on whose behalf the operator acts: an email address or its part before the `@`;
  ///     nil for none.
  ///   - named: the record to find; nil for none.
  /// - Throws: `not_found` with the closest name as a hint for the company, the member or the record;
  ///   `forbidden`; `unknown_type`; `invalid_input` for an ambiguous name.
  package func open(
    company slug: String,
    operatorName: String,
    as handle: String?,
    record named: NamedRecord? = nil
  ) async throws -> Opening {
    let handle = handle.map { Self.local($0, in: slug) }
    let catalogue = services.catalogue
    let known = catalogue.known.flatMap { known in
      named == nil || known.types.contains { $0.name == named?.type } ? known : nil
    }
    let read = try await read(slug, handle, known.map(Statements.Catalogue.compare) ?? .load, named)
    if let loaded = read.catalogue { catalogue.keep(loaded) }
    let (acting, access) = try await context(read, slug: slug, handle: handle, operatorName: operatorName)
    return try await services.denials.watching(acting.context(requestID: services.ids.next())) {
      try await opening(read, acting, access, known, named)
    }
  }

  /// Returns the opening after the checks of rights and the lookup of the named record.
  private func opening(
    _ read: Read,
    _ acting: ActingContext,
    _ access: Access,
    _ known: TypeCatalogue?,
    _ named: NamedRecord?
  ) async throws -> Opening {
    let catalogue = services.catalogue
    let rights = try Rights(acting, access)
    let hasChanged = known != nil && read.number != known?.number
    if hasChanged { try await catalogue.refresh(services.database, to: read.number) }
    let records = Records(services)
    guard let named else { return Opening(acting: acting, rights: rights, records: records, record: nil) }
    let type = try records.catalogue.type(named.type)
    try rights.requireCompany(permits: .read)
    try rights.requireRead(type)
    if !hasChanged, let id = try read.record?.id(of: named.name, type.definition.label.lowercased()) {
      return Opening(acting: acting, rights: rights, records: records, record: id)
    }
    // The record was not found or was looked up under an older catalogue. This lookup provides the hints.
    let id = try await records.resolve(acting, type: named.type, named.name, deleted: named.isDeleted)
    return Opening(acting: acting, rights: rights, records: records, record: id)
  }

  /// Returns an operator's acting context, in their own name or on behalf of a member, after one round trip.
  ///
  /// - Parameters: as for ``open(company:operatorName:as:record:)``.
  /// - Throws: `not_found` with the closest name as a hint.
  package func take(company slug: String, operatorName: String, as handle: String?) async throws
    -> ActingContext
  {
    let handle = handle.map { Self.local($0, in: slug) }
    let read = try await read(slug, handle, .none, nil)
    return try await context(read, slug: slug, handle: handle, operatorName: operatorName).0
  }

  private func read(
    _ slug: String,
    _ handle: String?,
    _ catalogue: Statements.Catalogue,
    _ named: NamedRecord?
  ) async throws -> Read {
    try await services.database.transaction(TransactionOptions(readOnly: true)) { tx in
      var read = Read()
      var statements: Statements?
      guard case .load = catalogue, let named else {
        try tx.commit { statements = Statements(company: slug, handle: handle, catalogue, named, &$0) }
        try statements?.take(into: &read)
        return read
      }
      try tx.pipeline { statements = Statements(company: slug, handle: handle, catalogue, nil, &$0) }
      try statements?.take(into: &read)
      guard let loaded = read.catalogue, read.access != nil,
        let type = loaded.types.first(where: { $0.name == named.type })
      else { return read }
      let name = RecordName(type: type, company: Self.entered, isDeleted: named.isDeleted)
      var tickets: RecordName.Tickets?
      try tx.commit { tickets = name.queue(named.name, &$0) }
      read.record = try tickets?.found()
      return read
    }
  }

  private func context(
    _ read: Read,
    slug: String,
    handle: String?,
    operatorName: String
  ) async throws -> (ActingContext, Access) {
    guard let company = read.company, let access = read.access else { throw try await unknown(company: slug) }
    guard let handle else {
      return (ActingContext(company: company, actor: .operator(operatorName), user: nil), access)
    }
    let member = try await member(handle, among: read.members, of: company)
    let actor = Actor.operator(operatorName, as: member.userID)
    return (ActingContext(company: company, actor: actor, user: member.userID), access)
  }

  /// The id of the company that `core.enter_company` has entered.
  private static let entered: SQL = "(select core.current_company())"

  /// The results of one opening.
  private struct Read: Sendable {
    var company: CompanyRow?
    var members: [MemberRow] = []
    var access: Access?
    var number: Int64?
    var catalogue: TypeCatalogue?
    var record: RecordName.Found?
  }

  /// The statements of one opening, in one pipeline.
  private struct Statements {
    let company: Ticket<CompanyRow>
    let members: Ticket<MemberRow>?
    let access: Ticket<Access>
    let number: Ticket<Int64>?
    let reading: TypeCatalogue.Reading?
    let record: RecordName.Tickets?

    /// The part of the catalogue that an opening reads.
    enum Catalogue {
      /// No part.
      case none
      /// The whole catalogue.
      case load
      /// Only the version, since this process has the catalogue.
      case compare(TypeCatalogue)
    }

    init(
      company slug: String,
      handle: String?,
      _ catalogue: Catalogue,
      _ named: NamedRecord?,
      _ pipeline: inout Pipeline
    ) {
      pipeline.execute(
        "select from core.enter_company(\(slug), \(nullable: handle.map { EmailAddress.key(ofHandle: $0) }))"
      )
      company = pipeline.rows(CompanyStore.entered, as: CompanyRow.self)
      members = handle.map { pipeline.rows(MemberStore.enteredQuery(handle: $0), as: MemberRow.self) }
      access = pipeline.rows(Access.queryEntered, as: Access.self)
      switch catalogue {
      case .none:
        (number, reading, record) = (nil, nil, nil)
      case .load:
        reading = TypeCatalogue.Reading(&pipeline)
        (number, record) = (nil, nil)
      case .compare(let known):
        reading = nil
        number = pipeline.value(TypeCatalogue.numberQuery, as: Int64.self)
        if let named, let type = known.types.first(where: { $0.name == named.type }) {
          record = RecordName(type: type, company: ActingContexts.entered, isDeleted: named.isDeleted)
            .queue(named.name, &pipeline)
        } else {
          record = nil
        }
      }
    }

    func take(into read: inout Read) throws {
      read.company = try company.first
      read.members = try members?.all ?? []
      read.access = try access.first
      read.number = try number?.first
      read.catalogue = try reading?.catalogue()
      read.record = try record?.found()
    }
  }
}
