internal import Domain
internal import FoundationEssentials
internal import Postgres

/// How far a list of jobs has been read: behind a post, and behind a job that is set aside.
package struct JobPlace: Sendable, Hashable {
  /// Behind which post; nil: from the newest.
  struct Post: Sendable, Hashable {
    let transaction: String
    let lane: UUID
    let id: UUID
  }

  /// Behind which job that waits or has ended; nil: from the newest.
  struct Aside: Sendable, Hashable {
    let at: Timestamp
    let id: UUID
  }

  var post: Post?
  var aside: Aside?

  /// The beginning of the list.
  package init() {}

  /// Reads what ``text`` wrote.
  package init(parsing text: String) throws {
    let halves = text.split(separator: "~", omittingEmptySubsequences: false).map { half in
      half.split(separator: ".").map(String.init)
    }
    guard halves.count == 2 else { throw Self.refusal(text) }
    if !halves[0].isEmpty {
      guard halves[0].count == 3, UInt64(halves[0][0]) != nil, let lane = UUID(uuidString: halves[0][1]),
        let id = UUID(uuidString: halves[0][2])
      else { throw Self.refusal(text) }
      post = Post(transaction: halves[0][0], lane: lane, id: id)
    }
    if !halves[1].isEmpty {
      guard halves[1].count == 2, let at = Int64(halves[1][0]), let id = UUID(uuidString: halves[1][1]) else {
        throw Self.refusal(text)
      }
      aside = Aside(at: Timestamp(microseconds: at), id: id)
    }
  }

  /// For a later command to go on from here.
  package var text: String {
    let post = post.map { "\($0.transaction).\($0.lane.text).\($0.id.text)" } ?? ""
    let aside = aside.map { "\($0.at.microseconds).\($0.id.text)" } ?? ""
    return "\(post)~\(aside)"
  }

  private static func refusal(_ text: String) -> DomainError {
    DomainError(
      .invalidInput,
      "\(Quoted(text)) is no place in a list of jobs",
      hint: "give --after what the page before said"
    )
  }
}

/// A page of a list of jobs.
package struct JobPage: Sendable {
  package let jobs: [JobRow]
  /// Where the next page begins; nil: there is none.
  package let next: JobPlace?

  /// The newest of two lists, each in its own order, and where the rest of them begins.
  ///
  /// - Parameter limit: also how many each list was asked for, so that a shorter one is at its end.
  init(posts: [JobRow], aside: [JobRow], limit: Int, after place: JobPlace) {
    var (posts, aside) = (posts[...], aside[...])
    let mayHaveMore = posts.count >= limit || aside.count >= limit || posts.last?.isMilestone == true
    var place = place
    var jobs: [JobRow] = []
    while jobs.count < limit, !(posts.isEmpty && aside.isEmpty) {
      let takesPost = posts.first.map { post in
        post.isMilestone || aside.first.map { post.listedAt >= $0.listedAt } ?? true
      }
      if takesPost == true, let post = posts.popFirst() {
        place.post = post.transaction.map { .init(transaction: $0, lane: post.lane, id: post.id) }
        if !post.isMilestone { jobs.append(post) }
      } else if let job = aside.popFirst() {
        place.aside = .init(at: job.listedAt, id: job.id)
        jobs.append(job)
      }
    }
    self.jobs = jobs
    next = mayHaveMore || !posts.isEmpty || !aside.isEmpty ? place : nil
  }
}
