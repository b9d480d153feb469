internal import Domain
package import FoundationEssentials
package import Postgres

/// What names a person: her id, names, addresses and handles, with the companies in which her names are searched.
///
/// It is read before an erasure, and searched again afterwards.
package struct PersonTexts: Sendable {
  /// The rows of a table in which one of the texts is left.
  package struct Remainder: RowDecodable, Sendable {
    package let table: String
    /// The short name of the company; nil for rows without a company, and for companies that she does not belong to.
    package let company: String?
    package let rows: Int64
    /// Type and id of some of the rows.
    package let samples: [String]

    package init(row: inout RowReader) throws(PostgresError) {
      table = try row.next()
      company = try row.next()
      rows = try row.next()
      samples = try row.next()
    }
  }

  /// The number of rows that a remainder names.
  private static let samples: Int32 = 5

  private let user: UUID
  private let texts: [String]
  private let companies: [UUID]

  /// - Parameters:
  ///   - user: the person; other people's names are not searched.
  ///   - texts: names, addresses, handles and ids.
  ///   - companies: those in which names and handles are searched; ids and addresses are searched everywhere.
  package init(user: UUID, texts: [String], companies: [UUID]) {
    self.user = user
    self.texts = texts
    self.companies = companies
  }

  /// Reads what names a person.
  ///
  /// - Parameters:
  ///   - more: further texts to search, such as a nickname.
  ///   - database: connected as `fettle_backup`.
  package static func read(of user: UUID, and more: [String] = [], _ database: Database) async throws
    -> PersonTexts
  {
    try await database.transaction { tx in
      let texts = try tx.rows(
        """
        select u.name from core.app_user u where u.id = \(user)
        union select u.email from core.app_user u where u.id = \(user)
        union select '@' || split_part(u.email, '@', 1) from core.app_user u where u.id = \(user)
        union select f.name from core.former_name f where f.user_id = \(user)
        """,
        String.self
      )
      // An interrupted erasure has put the account without a name in her place.
      let companies = try tx.rows(
        """
        select distinct m.company_id
        from core.membership m
        where m.user_id = \(user)
          or m.user_id = (select e.replacement from core.erasure e where e.subject = \(user))
        """,
        UUID.self
      )
      return PersonTexts(user: user, texts: texts + [user.text] + more, companies: companies)
    }
  }

  /// Returns the rows in which one of the texts is left.
  ///
  /// - Parameter database: connected as `fettle_backup`.
  package func remainders(_ database: Database) async throws -> [Remainder] {
    var options = TransactionOptions()
    options.isolation = .repeatableRead
    options.readOnly = true
    options.statementTimeout = .seconds(24 * 3_600)
    return try await database.transaction(options) { [user, texts, companies] tx in
      try tx.rows(
        """
        select c.place, c.company, c.remaining, c.samples
        from core.person_census(\(user), \(texts), \(companies), \(Self.samples)) c
        """,
        as: Remainder.self
      )
    }
  }
}
