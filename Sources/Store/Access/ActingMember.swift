internal import Domain
package import FoundationEssentials
package import Postgres

extension Transaction {
  /// Lets the rest of the transaction see and write the private rows of a member. For effects of a job, whose
  /// owner is known only after the transaction has begun.
  package func act(for member: UUID) throws {
    try execute("select set_config('fettle.user_id', \(member.text), true)")
  }
}
