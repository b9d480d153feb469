internal import Domain
package import FoundationEssentials
package import Postgres

extension Transaction {
  /// From here on the transaction sees and writes the private rows of a member: those of a job's effects, say, which
  /// learn whose they are only after the transaction has begun.
  package func act(for member: UUID) throws {
    try execute("select set_config('fettle.user_id', \(member.text), true)")
  }
}
