internal import Domain
package import Postgres

/// The right of a database login to bypass the isolation of companies: as a superuser, by an attribute, or as a
/// member of a role that has it.
package struct LoginPower: Sendable, Equatable, RowDecodable {
  /// The kind of the right, the strongest first.
  package enum Kind: String, Sendable {
    case superuser, bypass, owner
  }

  /// The login.
  package let login: String
  package let kind: Kind
  /// The role that has the right: the login itself, or one of its roles.
  package let role: String

  package init(row: inout RowReader) throws(PostgresError) {
    login = try row.next()
    role = try row.next()
    let kind: String = try row.next()
    self.kind = Kind(rawValue: kind) ?? .superuser
  }

  /// Returns the strongest such right of a session's login; nil if it has none.
  ///
  /// A membership counts even if it is not inherited, because `set role` uses it.
  package static func read(_ session: Session) throws -> LoginPower? {
    try session.rows(
      """
      select session_user::text, r.rolname::text,
        case
          when r.rolsuper then 'superuser'
          when r.rolbypassrls then 'bypass'
          else 'owner'
        end
      from pg_catalog.pg_roles r
      where (r.rolsuper or r.rolbypassrls or r.rolname in ('fettle_owner', 'fettle_auth', 'fettle_eraser'))
        and pg_catalog.pg_has_role(session_user, r.oid, 'member')
      order by r.rolsuper desc, r.rolbypassrls desc, r.rolname = session_user desc, r.rolname desc
      limit 1
      """,
      as: LoginPower.self
    ).first
  }

  /// The right in words, such as `postgres is a superuser`.
  package var words: String {
    let isOwn = role == login
    return switch kind {
    case .superuser: isOwn ? "\(login) is a superuser" : "\(login) is a member of the superuser \(role)"
    case .bypass:
      isOwn
        ? "\(login) bypasses row-level security"
        : "\(login) is a member of \(role), which bypasses row-level security"
    case .owner: isOwn ? "\(login) owns the schemas" : "\(login) is a member of \(role)"
    }
  }
}

/// The logins that a command accepts. It is checked on each new connection.
package enum LoginRule: Sendable {
  /// Only logins that row-level security binds.
  case bound
  /// Also a login that may become the owner, which changes the schema. No superuser.
  case owner
  /// Only logins of the server: `fettle_app`, and members of it without the rights of operators and workers.
  case server
  /// Every login, for the commands that examine or create the schema.
  case every

  /// Refuses the login of a session unless the rule accepts it.
  ///
  /// - Throws: `login_too_powerful`.
  @Sendable package func check(_ session: Session) throws {
    if self == .every { return }
    guard let power = try LoginPower.read(session) else {
      if self == .server { try Self.requireServer(session) }
      return
    }
    if self == .owner, power.kind == .owner { return }
    throw DomainError(
      .loginTooPowerful,
      "\(power.words): the isolation of companies does not bind this login",
      hint:
        "connect as fettle_admin, workers as fettle_worker, and the server as fettle_app; `fettle doctor` shows the login's rights"
    )
  }

  /// - Throws: `login_too_powerful` for an operator or worker, and for a login without the rights of the server.
  private static func requireServer(_ session: Session) throws {
    let (login, isServer) =
      try session.first(
        """
        select session_user::text,
          pg_catalog.pg_has_role(session_user, 'fettle_app', 'usage')
          and not exists (
            select from pg_catalog.pg_roles r
            where r.rolname in ('fettle_admin', 'fettle_worker', 'fettle_migrator', 'fettle_backup', 'fettle_installer')
              and pg_catalog.pg_has_role(session_user, r.oid, 'member')
          )
        """,
        String.self,
        Bool.self
      ) ?? ("", false)
    guard isServer else {
      throw DomainError(
        .loginTooPowerful,
        "\(login) is not a login of the server",
        hint: "connect as fettle_app"
      )
    }
  }
}
