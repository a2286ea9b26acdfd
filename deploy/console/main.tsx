/** The console: people see what Weir does, find an item in seconds, and judge what was flagged. Which views there are follows the scopes of the key. */
import { render, type VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LoginState } from '../../shared/api/login.js';
import { linkTo, usePlace, type ViewPlace } from './address.js';
import { type Api, type ConsoleUser, connect, loginState } from './api.js';
import { Problem } from './parts/words.js';
import { Audit } from './views/audit.js';
import { Conversation } from './views/conversation.js';
import { Find } from './views/find.js';
import { History } from './views/history.js';
import { Item } from './views/item.js';
import { Operation } from './views/operation.js';
import { Policies } from './views/policies.js';
import { Review } from './views/review.js';
import { Risk } from './views/risk.js';
import { Run } from './views/run.js';
import { Try } from './views/try.js';

interface View {
  /** in the navigation; absent: other views lead to it */
  name?: string;
  /** what the key needs: one of these */
  scopes: readonly string[];
  show(props: { api: Api; place: ViewPlace }): VNode;
}

const VIEWS: Readonly<Record<string, View>> = {
  history: { name: 'History', scopes: ['read'], show: History },
  find: { name: 'Find', scopes: ['read'], show: Find },
  risk: { name: 'Risk', scopes: ['risk'], show: Risk },
  try: { name: 'Try', scopes: ['try'], show: Try },
  review: { name: 'Review', scopes: ['review'], show: Review },
  policies: { name: 'Policies', scopes: ['configure'], show: Policies },
  operation: { name: 'Operation', scopes: ['operate'], show: Operation },
  audit: { name: 'Audit', scopes: ['audit', 'operate'], show: Audit },
  item: { scopes: ['read'], show: Item },
  run: { scopes: ['read'], show: Run },
  conversation: { scopes: ['read'], show: Conversation },
};

const viewsOf = ({ key }: Api): Record<string, View> =>
  Object.fromEntries(
    Object.entries(VIEWS).filter(([, { scopes }]) => scopes.some((scope) => (key.scopes as string[]).includes(scope))),
  );

/** Rejects where the key, or the person, has nothing to see. */
async function signIn(asker: ConsoleUser): Promise<Api> {
  const api = await connect(asker);
  if (Object.values(viewsOf(api)).some(({ name }) => name)) return api;
  const scopes = [...new Set(Object.values(VIEWS).flatMap(({ scopes }) => scopes))].join(', ');
  const who = 'secret' in asker ? 'This key sees nothing here. Its' : 'You see nothing here. Your';
  throw new Error(`${who} scopes are ${api.key.scopes.join(', ')}, and views need ${scopes}.`);
}

function Console(): VNode {
  const [api, setApi] = useState<Api>();
  const [problem, setProblem] = useState('');
  const [state, setState] = useState<LoginState>({ sign_in: false });
  useEffect(() => {
    const known = async (): Promise<void> => {
      const found = await loginState();
      setState(found);
      if (found.csrf_token !== undefined) setApi(await signIn({ csrfToken: found.csrf_token }));
    };
    known().catch((error: Error) => setProblem(error.message));
  }, []);
  const leave = (): void => {
    setProblem('');
    api?.leave().catch((error: Error) => setProblem(error.message));
    setApi(undefined);
  };
  if (api) return <Views api={api} onLeave={leave} />;
  return <SignIn onKey={setApi} withProvider={state.sign_in} problem={problem} onProblem={setProblem} />;
}

interface SignInProps {
  onKey(api: Api): void;
  withProvider: boolean;
  problem: string;
  onProblem(problem: string): void;
}

function SignIn({ onKey, withProvider, problem, onProblem }: SignInProps): VNode {
  return (
    <main class="sign-in">
      <h1>Weir</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const field = event.currentTarget.elements.namedItem('key') as HTMLInputElement;
          signIn({ secret: field.value.trim() }).then(onKey, (error: Error) => onProblem(error.message));
        }}
      >
        <label>
          API key
          <input name="key" type="password" required autocomplete="off" spellcheck={false} />
        </label>
        <button type="submit">Open</button>
      </form>
      {withProvider && (
        <p>
          <a href="./console/login">Sign in</a> with the account of your organisation, in place of a key.
        </p>
      )}
      <Problem text={problem} />
      <p>
        What you see follows from the scopes of the key; most needs <code>read</code>. It stays in the memory of this
        page, and is gone when you leave it.
      </p>
    </main>
  );
}

function Views({ api, onLeave }: { api: Api; onLeave(): void }): VNode {
  const place = usePlace();
  const views = viewsOf(api);
  const shown = Object.hasOwn(views, place.view) ? place : { view: Object.keys(views)[0]!, query: {} };
  const view = views[shown.view]!;
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    // A screen reader goes on at the view that was asked for, not at the top.
    main.current?.focus();
    document.title = `${view.name ?? 'Weir'} – Weir console`;
  }, [shown.view]);
  return (
    <>
      <button class="skip" type="button" onClick={() => main.current?.focus()}>
        To the content
      </button>
      <header>
        <strong>Weir</strong>
        <nav aria-label="Views">
          {Object.entries(views).map(
            ([name, one]) =>
              one.name && (
                <a key={name} href={linkTo(name)} aria-current={name === shown.view ? 'page' : undefined}>
                  {one.name}
                </a>
              ),
          )}
        </nav>
        <span class="who">
          {api.key.team ?? 'all teams'} · {api.key.key_id}{' '}
          <button type="button" onClick={onLeave}>
            Leave
          </button>
        </span>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <view.show api={api} place={shown} />
      </main>
    </>
  );
}

render(<Console />, document.getElementById('console')!);
