/** Keeps a fault in one part of a page from taking the others: the part says that it failed, and can be tried again. */
import { Component, type ReactNode } from 'react';
import { Fault } from './states.tsx';

interface State {
  readonly fault: unknown;
}

export class BrokenPart extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { fault: null };

  static getDerivedStateFromError(fault: unknown): State {
    return { fault: fault ?? new Error('something was thrown that is nothing') };
  }

  override render(): ReactNode {
    if (this.state.fault === null) return this.props.children;
    return <Fault fault={this.state.fault} retry={() => this.setState({ fault: null })} />;
  }
}
