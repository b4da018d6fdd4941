import WeirClient

extension HTTPSession {
    /// Runs work over the session, and leaves no connection and no task of it behind, whatever the work ends in.
    func use<Result>(_ work: (HTTPSession) async throws -> Result) async throws -> Result {
        do {
            let result = try await work(self)
            invalidate()
            await drain()
            return result
        } catch {
            invalidate()
            await drain()
            throw error
        }
    }
}
