package import Domain
package import FoundationEssentials
package import Postgres
package import Store

/// Who may be told of a record: nobody hears what they could not read.
package enum Readers {
  /// Those of `users` who may read a record now.
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
      // Somebody who is no member any more reads nothing, which is an answer and not a failure.
      guard let rights = try? Rights.read(acting, requestID: user, tx) else { return false }
      return rights.canRead(type, document)
    }
  }
}
