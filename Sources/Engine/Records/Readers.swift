package import Domain
package import FoundationEssentials
package import Postgres
package import Store

/// Filters the recipients of notices: a member is notified only about records that the member may read.
package enum Readers {
  /// Returns the users among `users` who may read a record now.
  package static func of(
    _ document: JSONObject,
    _ type: RecordType,
    among users: [UUID],
    company: UUID,
    _ tx: Transaction
  ) throws -> [UUID] {
    let system = try ActingContext.system("notices", company: company, tx)
    return users.filter { user in
      if type.definition.scope == .owner, document["created_by"]?.string != user.text { return false }
      let acting = ActingContext(company: system.company, actor: .member(user), user: user)
      // A former member has no rights, which raises an error; the member is left out.
      guard let rights = try? Rights.read(acting, requestID: user, tx) else { return false }
      return rights.canRead(type, document)
    }
  }
}
