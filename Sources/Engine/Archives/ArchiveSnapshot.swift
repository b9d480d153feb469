internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store
internal import Zip

/// The rows of a company in one snapshot, written as lines of JSON to members of an archive.
struct ArchiveSnapshot: Sendable {
  private var members: [ArchiveManifest.Lines] = []
  private var leftOut: [ArchiveManifest.LeftOut] = []
  private var secrets: [String] = []
  private let company: ArchiveManifest.Company
  private let schema: String
  private let apps: [ArchiveManifest.App]
  private let follows: [String: Int]
  private let seal: [UInt8]?

  /// Writes the rows.
  ///
  /// - Throws: `not_found`.
  init(of id: UUID, to writer: ZipWriter, _ tx: Transaction) throws {
    guard
      let (slug, name, usesAll) = try tx.first(
        "select c.slug, c.name, c.uses_all_apps from core.company c where c.id = \(id) and c.status <> 'erased'",
        String.self,
        String.self,
        Bool.self
      )
    else { throw DomainError(.notFound, "there is no such company") }
    company = ArchiveManifest.Company(id: id, slug: slug, name: name)
    let chosen = try tx.rows(
      "select a.app from core.company_app a where a.company_id = \(id)",
      String.self
    )
    apps = try ArchiveTable.apps(usesAll ? nil : chosen, tx)
    let names = apps.map(\.name)
    schema = try ArchiveTable.schema(with: names, tx)
    follows = try ArchiveTable.follows(company: id, apps: names, tx)
    seal = try tx.first(
      "select s.digest from core.history_seal s where s.company_id = \(id) order by s.sealed_on desc limit 1",
      [UInt8].self
    )
    try add(
      ArchiveManifest.company,
      "select to_json(c)::text from core.company c where c.id = \(id)",
      to: writer,
      tx
    )
    try add(ArchiveManifest.people, Self.people(id), to: writer, tx)
    try add(ArchiveManifest.workflows, Self.workflows(id, follows), to: writer, tx)
    for table in try ArchiveTable.all(tx) {
      if let reason = table.reason {
        let rows = try tx.value(
          "select core.company_count(\(id), \(table.name)::text::regclass)",
          as: Int64.self
        )
        if rows > 0 {
          leftOut.append(ArchiveManifest.LeftOut(table: table.name, rows: rows, reason: reason))
        }
      } else {
        try add(
          ArchiveManifest.member(of: table.name),
          "select r.line from core.archive_rows(\(id), \(table.name)::text::regclass) r (line)",
          to: writer,
          tx
        )
        secrets += table.secrets.map { "\(table.name).\($0)" }
      }
    }
  }

  /// Adds a member with the lines of a query.
  private mutating func add(_ name: String, _ query: SQL, to writer: ZipWriter, _ tx: Transaction) throws {
    var (rows, bytes, digest): (Int64, Int, SHA256Stream) = (0, 0, SHA256Stream())
    try tx.forEach(query, String.self, fetch: 200) { line in
      // An empty table has no member, so that the apps that nobody uses need not be installed elsewhere.
      if rows == 0 { try writer.begin(name) }
      let line = Array((line + "\n").utf8)
      try writer.write(line)
      digest.update(line)
      rows += 1
      bytes += line.count
    }
    guard rows > 0 else { return }
    members.append(
      ArchiveManifest.Lines(name: name, rows: rows, bytes: bytes, sha256: Hex.encode(digest.digest()))
    )
  }

  func manifest(program: String, files: Int, bytes: Int) -> ArchiveManifest {
    ArchiveManifest(
      format: ArchiveManifest.format,
      program: program,
      exportedAt: Date.now.ISO8601Format(),
      company: company,
      schema: schema,
      apps: apps,
      members: members,
      files: files,
      fileBytes: bytes,
      leftOut: leftOut,
      secrets: secrets,
      follows: follows,
      seal: seal.map { Hex.encode($0) }
    )
  }

  /// The people who are or were members, by address.
  private static func people(_ company: UUID) -> SQL {
    """
    select row_to_json(x)::text
    from (
      select u.id, u.email, u.name, u.kind, u.status, u.created_at, (
          select coalesce(json_agg(json_build_object('until', n.until, 'name', n.name) order by n.until), '[]')
          from core.former_name n
          where n.user_id = u.id
        ) as former_names
      from core.app_user u
      join core.membership m on m.user_id = u.id and m.company_id = \(company)
      order by u.id
    ) x
    """
  }

  /// The versions of workflows that records of the company follow.
  private static func workflows(_ company: UUID, _ follows: [String: Int]) -> SQL {
    let (types, versions) = (Array(follows.keys), follows.values.map(Int32.init(clamping:)))
    return """
      select row_to_json(x)::text
      from (
        select d.record_type, d.version, d.body, encode(d.sha256, 'hex') as sha256
        from core.workflow_definition d
        where (d.record_type, d.version) in (
          select t.type, t.version from unnest(\(types), \(versions)) t (type, version)
          union all
          select c.record_type, c.next_version from core.workflow_choice c where c.company_id = \(company)
          union all
          select o.record_type, o.version from core.workflow_overlay o where o.company_id = \(company)
          union all
          select o.record_type, o.version from core.workflow_own o where o.company_id = \(company)
        )
        order by d.record_type, d.version
      ) x
      """
  }
}
